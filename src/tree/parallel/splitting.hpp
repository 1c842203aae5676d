// From which work on parts become tasks.
#pragma once

#include <treadle/detail/atomic.hpp>
#include <treadle/detail/spinlock.hpp>

#include "base/claim.hpp"
#include "decide/split_threshold.hpp"
#include "loop/reasons.hpp"

#include <algorithm>
#include <cstdint>
#include <span>
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
    m_times = std::max(m_times, times);
    return saturated_product(m_shorter, times);
  }
  // The most that it was asked for, as of the latest question; 0: never.
  std::uint64_t asked() const noexcept { return saturated_product(m_shorter, m_times); }

 private:
  // As of the latest question
  std::uint64_t m_count = 0, m_inclusive = 0, m_latest = 0, m_shorter = 0;
  std::uint64_t m_times = 0;
};

// The threshold of one program, for all its runs: found on the period of the outermost loop of one run at a time. Those
// that run at the same time use it.
class splitting final : loop::explained {
 public:
  static constexpr std::uint64_t k_never = std::uint64_t{1} << 60; // ticks; a part that takes so long is none
  // What a part costs: variables and statistics of its own, and often a worker that must be woken. Only a beginning.
  static constexpr double k_part_ns = 2000;

  static std::uint64_t to_ticks(double ns) noexcept; // at most k_never

  // `name`: of the program. `budget`: as search_options has it.
  explicit splitting(std::string name, double budget = -1)
      : m_decision(loop::decision_kind::splitting, std::move(name), budget) {}

  // A run that has claimed it releases it.
  bool claim(unsigned workers) noexcept;
  void release() noexcept { m_claimed.release(); }
  std::uint64_t threshold() const noexcept { return m_threshold.load(detail::order::relaxed); } // ticks

  // An outermost loop begins.
  void begin(std::int64_t now_ns) noexcept;
  // Some time of it that ends now: so many turns in so many ticks; `nodes` are the statistics of the task that executes
  // it, none as long as they tell nothing.
  void report(const node& loop, std::uint64_t turns, std::int64_t ticks, std::span<const local_statistics> nodes,
              std::int64_t now_ns) noexcept;
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
    explicit known(unsigned workers) : of{workers}, thresholds({.ns = k_part_ns, .workers = workers}) {}
    const loop::context of;
    decide::split_thresholds thresholds;
    std::optional<loop::state> search; // none: there is nothing to try
    std::optional<double> found_ns;    // by one that left its start
  };

  void explain(std::vector<decision_report>& to) override;
  bool try_lock() noexcept override { return m_lock.try_lock(); }
  void unlock() noexcept override { m_lock.unlock(); }
  bool measures(const node& loop, std::int64_t ticks);
  void decide(double turns, double ns, std::span<const local_statistics> nodes, std::int64_t now_ns);
  void look_at_parts(std::span<const local_statistics> nodes);
  void choose(std::size_t choice) noexcept;

  detail::claim m_claimed;
  detail::atomic<std::uint64_t> m_threshold{0};
  mutable detail::spinlock m_lock; // of what explain() reads
  // By who has claimed it
  loop::decision m_decision;
  loop::by_context<known> m_contexts;
  known* m_known = nullptr; // in the present context
  std::size_t m_choice = 0;
  const node* m_loop = nullptr;                // the one that is measured
  std::int64_t m_in_loop = 0, m_in_others = 0; // ticks
  std::uint64_t m_window = 0;
  std::int64_t m_next_look = 0; // at the parts
  std::vector<double> m_parts;

  loop::explanation m_asked{*this};
};

} // namespace treadle::tree
