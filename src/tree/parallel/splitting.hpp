// From which work on parts become tasks.
#pragma once

#include <treadle/detail/atomic.hpp>
#include <treadle/detail/spinlock.hpp>

#include "base/claim.hpp"
#include "decide/spawn_cost.hpp"
#include "loop/reasons.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

namespace treadle::tree {

class node;

constexpr std::uint64_t saturated_product(std::uint64_t a, std::uint64_t b) noexcept {
  return __builtin_mul_overflow(a, b, &a) ? ~std::uint64_t{0} : a;
}

// Statistics of one primitive instance, in ticks, of one of the tasks of a run that evaluates by plain recursion; added
// to the shared ones at its end.
class local_statistics {
 public:
  std::uint64_t count = 0, inclusive = 0, self = 0, spawned = 0;

  // What `times` evaluations take, by the shorter of the two latest means between questions: an evaluation in which the
  // thread was preempted is not what is meant. The first evaluations are cold, and count an eighth.
  std::uint64_t expected(std::uint64_t times) noexcept {
    if (count != m_count) {
      const auto mean = (inclusive - m_inclusive) / (count - m_count);
      m_shorter = m_count == 0 ? mean / 8 : std::min(mean, m_latest);
      m_latest = mean;
      m_count = count;
      m_inclusive = inclusive;
    }
    return saturated_product(m_shorter, times);
  }

  // The latest question: whether a part with this much work is worth a task, and the least work with which one is.
  // 0: nobody asked.
  std::uint64_t part = 0, threshold = 0;
  bool is_worth(std::uint64_t work, std::uint64_t least) noexcept {
    part = work;
    threshold = std::max(least, std::uint64_t{1});
    return work >= least;
  }

 private:
  // As of the latest question
  std::uint64_t m_count = 0, m_inclusive = 0, m_latest = 0, m_shorter = 0;
};

// The threshold of one program, for all its runs: what takes 19 times as long as a part costs (Grubel et al., CLUSTER
// 2015), 8 or 64 times that, or never. Which of them is found on the period of the outermost loop of one run at a time,
// once something was split; those that run at the same time use it.
class splitting final : loop::explained {
 public:
  static constexpr std::uint64_t k_never = std::uint64_t{1} << 60; // ticks; a part that takes so long is none
  // What a part costs: half of a task with variables and statistics of its own, and often a worker that must be woken.
  static constexpr decide::spawn_cost k_part{.ns = 1000};

  static std::uint64_t to_ticks(double ns) noexcept; // at most k_never

  // `name`: of the program. `budget`: as search_options has it.
  explicit splitting(std::string name, double budget = -1)
      : m_decision(loop::decision_kind::splitting, std::move(name), budget) {}

  // A run that has claimed it releases it. `workers`: that may be active at the moment.
  bool claim(unsigned workers) noexcept;
  void release() noexcept { m_claimed.release(); }
  // By who has claimed it: their number may have changed. True where it has; what was measured meanwhile says nothing.
  bool follow(unsigned workers) noexcept;
  std::uint64_t threshold() const noexcept { return m_threshold.load(detail::order::relaxed); } // ticks

  // An outermost loop begins.
  void begin(std::int64_t now_ns) noexcept;
  // Some time of it that ends now: this many turns in this many ticks. `splits`: something has been split in this run.
  void report(const node& loop, std::uint64_t turns, std::int64_t ticks, bool splits, std::int64_t now_ns) noexcept;
  // It is over: what follows is no part of what is measured.
  void end() noexcept;

  // Unless somebody has claimed it.
  void forget() noexcept;

  std::uint64_t windows() const noexcept {
    const detail::scoped_lock guard(m_lock);
    return m_known && m_known->search ? m_known->search->windows() : 0;
  }
  double deciding_ns() const noexcept {
    const detail::scoped_lock guard(m_lock);
    return m_decision.deciding_ns();
  }

 private:
  // What is known for a number of workers.
  struct known {
    explicit known(unsigned workers) : of{workers} {}
    const loop::context of;
    std::optional<loop::state> search; // none: nothing was split
  };

  void explain(std::vector<decision_report>& to) override;
  bool try_lock() noexcept override { return m_lock.try_lock(); }
  void unlock() noexcept override { m_lock.unlock(); }
  bool use(unsigned workers) noexcept;
  bool measures(const node& loop, std::int64_t ticks);
  void decide(double turns, double ns, bool splits, std::int64_t now_ns);
  void choose(loop::arm choice) noexcept;

  detail::claim m_claimed;
  detail::atomic<std::uint64_t> m_threshold{0};
  mutable detail::spinlock m_lock; // of what explain() reads
  // By who has claimed it
  loop::decision m_decision;
  loop::by_context<known> m_contexts;
  known* m_known = nullptr; // in the present context
  loop::arm m_choice = 0;
  const node* m_loop = nullptr;                // the one that is measured
  std::int64_t m_in_loop = 0, m_in_others = 0; // ticks

  loop::explanation m_asked{*this};
};

} // namespace treadle::tree
