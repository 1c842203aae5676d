// One run of a program, and the part of it that one task carries along.
#pragma once

#include <treadle/detail/atomic.hpp>
#include <treadle/future.hpp>
#include <treadle/physl.hpp>
#include <treadle/this_task.hpp>

#include "base/clock.hpp"
#include "policy/inlining.hpp"
#include "tree/frame.hpp"
#include "tree/services.hpp"

#include <memory>
#include <vector>

namespace treadle::tree {

class node;

// Statistics of one primitive instance, in ticks. Shared by all runs of a program.
struct node_statistics {
  detail::atomic<std::uint64_t> count, inclusive, self, spawned;
  detail::atomic<std::int8_t> mode{static_cast<std::int8_t>(physl::inline_mode::undecided)};
  detail::atomic<bool> last_inlined{false}; // the previous execution, where the policy is undecided
};

// The same for a run that is a single thread: plain counters, added to the shared ones at its end.
struct local_statistics {
  std::uint64_t count = 0, inclusive = 0, self = 0;
};

// Records of who computed what when. Fixed capacity, written without locks.
class timeline_buffer {
 public:
  explicit timeline_buffer(std::size_t capacity) : m_records(capacity), m_start(detail::ticks_now()) {}

  void add(std::uint32_t node, std::int64_t start, std::int64_t end) noexcept {
    const auto at = m_next.fetch_add(1, detail::order::relaxed);
    if (at >= m_records.size()) return;
    m_records[at] = {node, this_task::worker_index(), static_cast<std::uint64_t>(start - m_start),
                     static_cast<std::uint64_t>(end - m_start)};
  }
  physl::timeline take(); // after the run

 private:
  std::vector<physl::timeline_record> m_records; // in ticks until taken
  detail::atomic<std::uint64_t> m_next{0};
  std::int64_t m_start;
};

class run_state {
 public:
  run_state(const physl::run_options& options, std::span<node_statistics> statistics);
  ~run_state(); // waits for asynchronous values, breaks cycles of closures, publishes statistics

  const physl::run_options& options() const noexcept { return m_options; }
  bool spawns() const noexcept { return m_options.policy != physl::policy::always_inline; }
  run_services& services() noexcept { return m_services; }
  node_statistics& statistics(std::uint32_t node) noexcept { return m_statistics[node]; }
  local_statistics* local() noexcept { return m_local.get(); }
  timeline_buffer* timeline() noexcept { return m_tracing.load(detail::order::relaxed) ? m_timeline.get() : nullptr; }
  void enable_tracing(bool on) noexcept { m_tracing.store(on, detail::order::relaxed); }
  physl::timeline take_timeline() { return m_timeline ? m_timeline->take() : physl::timeline(); }

  // Decides for one evaluation of an instance and remembers the decision.
  bool decide_inline(std::uint32_t node) noexcept;

  void check_cancelled() const {
    if (m_options.cancel && m_options.cancel->load(std::memory_order_relaxed)) throw value_error("cancelled");
  }

  void add_captured(frame& f) noexcept;
  void remove_captured(frame& f) noexcept;

  void add_asynchronous(shared_future<value> f);
  void wait_asynchronous() noexcept; // for all values of async(e), whatever became of them

 private:
  physl::run_options m_options;
  policy::paper_baseline m_baseline;
  std::span<node_statistics> m_statistics;
  std::unique_ptr<local_statistics[]> m_local;
  std::unique_ptr<timeline_buffer> m_timeline;
  detail::atomic<bool> m_tracing{true};
  run_services m_services;
  detail::spinlock m_lock; // guards the two below
  frame* m_captured = nullptr;
  std::vector<shared_future<value>> m_asynchronous;
};

// What evaluation needs at hand. One per task and stack; never shared, never outlives its stack frame.
class context {
 public:
  context(run_state& r, std::uint32_t call_depth) noexcept
      : run(r), local(r.local()), depth(call_depth), now(detail::ticks_now()), m_spawns(r.spawns()) {
    const auto left = this_task::stack_remaining();
    m_stack_floor = stack_pointer() - (left > k_stack_reserve ? left - k_stack_reserve : 0);
  }
  context(const context&) = delete;
  context& operator=(const context&) = delete;

  // Time to go on on another stack: what is left just covers the nodes up to the next check and a kernel.
  bool stack_is_low() const noexcept { return stack_pointer() < m_stack_floor; }

  // The policy may spawn here. Not in very deep recursion: there is work enough for all, and every suspended level
  // would hold a stack, of which there are only some ten thousands.
  bool spawns() const noexcept { return m_spawns && depth <= k_deepest_spawn; }

  run_state& run;
  local_statistics* const local; // null where several tasks may evaluate
  std::uint32_t depth;           // of nested PhySL calls
  std::int64_t now;              // time stamp of the latest measured moment
  std::int64_t children = 0;     // ticks spent in other instances since the current one began

 private:
  static constexpr std::size_t k_stack_reserve = 96 * 1024;
  static constexpr std::uint32_t k_deepest_spawn = 500;
  static std::uintptr_t stack_pointer() noexcept {
    return reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  }

  const bool m_spawns;
  std::uintptr_t m_stack_floor;
};

} // namespace treadle::tree
