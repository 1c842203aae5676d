// One run of a program, and the part of it that one task carries along.
#pragma once

#include <treadle/arrays/physl.hpp>
#include <treadle/detail/atomic.hpp>
#include <treadle/future.hpp>
#include <treadle/this_task.hpp>

#include "base/clock.hpp"
#include "decide/cost_by_size.hpp"
#include "decide/inlining.hpp"
#include "decide/paper_adaptive.hpp"
#include "task/engine/present_workers.hpp"
#include "tree/parallel/splitting.hpp"
#include "tree/run/frame.hpp"
#include "tree/run/services.hpp"
#include "tree/run/terms.hpp"

#include <memory>
#include <vector>

namespace treadle::tree {

class node;

// Statistics of one primitive instance, in ticks. Shared by all runs of a program.
struct node_statistics {
  detail::atomic<std::uint64_t> count, inclusive, self, spawned;
  detail::atomic<std::int8_t> mode{static_cast<std::int8_t>(physl::inline_mode::undecided)};
  detail::atomic<bool> last_inlined{false}; // the previous execution, where the policy is undecided

  // What the latest decision went by; null: there was none. Under adaptive also the latest question of that run: of a
  // part that takes so long, and of the least that is worth a task; 0: nobody asked.
  detail::atomic<const run_terms*> by{nullptr};
  detail::atomic<std::uint64_t> part{0}, threshold{0};

  bool waits_elsewhere = false; // for another locality, which nobody has measured yet: worth overlapping

  detail::spinlock lock;     // of the next
  decide::cost_by_size cost; // of an evaluation in one run, by what its arguments hold
};

// What paper_adaptive keeps of one instance.
struct instance_search {
  detail::spinlock lock; // the one that finds it locked goes on as last time
  decide::paper_adaptive search;
  bool is_begun = false;
  std::uint64_t count_before = 0, inclusive_before = 0; // at the begin of the window
  double searching_ns = 0;                              // what asking the search has taken

  void forget() {
    detail::scoped_lock guard(lock);
    is_begun = false;
  }
  // Locked.
  void begin(const threshold_search& how, std::uint64_t count, std::uint64_t inclusive) {
    search = decide::paper_adaptive(how);
    is_begun = true;
    count_before = count;
    inclusive_before = inclusive;
    searching_ns = 0;
  }
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
  // `searches`: for paper_adaptive, one for each instance. `size`: of the arguments, about.
  run_state(const physl::run_options& options, std::span<node_statistics> statistics, instance_search* searches,
            splitting& split, terms_of_runs& terms, double size);
  ~run_state(); // waits for asynchronous values, breaks cycles of closures, publishes statistics

  const physl::run_options& options() const noexcept { return m_options; }
  // Instances are spawned one by one, and results are futures.
  bool spawns() const noexcept {
    return m_options.policy != physl::policy::always_inline && m_options.policy != physl::policy::adaptive;
  }
  // Parts that the compiler found independent may run at the same time.
  bool overlaps() const noexcept { return m_overlaps; }
  run_services& services() noexcept { return m_services; }
  node_statistics& statistics(std::uint32_t node) noexcept { return m_statistics[node]; }
  // A shard of statistics for one task; null when tasks count into the shared ones.
  local_statistics* lease_statistics();
  void give_back(local_statistics* shard) noexcept;
  timeline_buffer* timeline() noexcept { return m_tracing.load(detail::order::relaxed) ? m_timeline.get() : nullptr; }
  void enable_tracing(bool on) noexcept { m_tracing.store(on, detail::order::relaxed); }
  physl::timeline take_timeline() { return m_timeline ? m_timeline->take() : physl::timeline(); }

  // Decides for one evaluation of an instance and remembers the decision.
  bool decide_inline(std::uint32_t node) noexcept;

  // The one place that asks whether something which may overlap with something else should: `times` evaluations of an
  // instance. `shard` holds what the asking task has measured.
  bool is_worth_a_task(std::uint32_t node, std::uint64_t times, local_statistics* shard) const noexcept {
    if (!shard || shard[node].count == 0) return is_worth_by_others(node, times, shard);
    return shard[node].is_worth(shard[node].expected(times), threshold());
  }
  // The same for any part of an instance, and any threshold: no more than a comparison.
  bool may_contain_tasks(std::uint32_t node, const local_statistics* shard) const noexcept {
    return !shard || shard[node].inclusive >= m_least_worth * shard[node].count;
  }

  // Whether loops are to tell how long their turns take.
  bool adapts() const noexcept { return m_adapts; }
  // A loop without one around it, of the run's main flow: it begins, has done some turns, and ends.
  void begin_tuned_loop() noexcept {
    if (!m_tunes) return;
    m_split.follow(detail::present_workers());
    m_split.begin(detail::steady_now_ns());
  }
  void tune(const node& loop, std::uint64_t turns, std::int64_t ticks) noexcept {
    if (m_tunes && !m_split.follow(detail::present_workers()))
      m_split.report(loop, turns, ticks, splits_often(), detail::steady_now_ns());
  }
  void end_tuned_loop() noexcept {
    if (m_tunes) m_split.end();
  }

  // Something is split, which takes a worker: a run that does so often had better be on one.
  void note_split() noexcept {
    if (!splits_often()) m_splits.fetch_add(1, detail::order::relaxed);
  }
  bool splits_often() const noexcept { return m_splits.load(detail::order::relaxed) >= k_often; }

  void check_cancelled() const {
    if (m_options.cancel && m_options.cancel->load(std::memory_order_relaxed))
      throw value_error(error_kind::program, "cancelled");
  }

  void add_captured(frame& f) noexcept;
  void remove_captured(frame& f) noexcept;

  void add_asynchronous(shared_future<value> f);
  void wait_asynchronous() noexcept; // for all values of async(e), whatever became of them

 private:
  static constexpr std::uint32_t k_often = 2; // one may be for an evaluation that was interrupted

  // By what all tasks and earlier runs have measured.
  bool is_worth_by_others(std::uint32_t node, std::uint64_t times, local_statistics* shard) const noexcept;
  // Of work, in ticks
  std::uint64_t threshold() const noexcept { return m_threshold_is_fixed ? m_least_worth : m_split.threshold(); }

  decide::inlining_decision search_decision(std::uint32_t node, decide::execution previous) noexcept;
  void publish(std::size_t node) noexcept; // what the shards hold

  physl::run_options m_options;
  decide::paper_baseline m_baseline;
  splitting& m_split;
  std::uint64_t m_least_worth = 0; // the lowest threshold
  bool m_overlaps = false;
  bool m_adapts = false;             // where it pays, measured
  bool m_tunes = false;              // has claimed m_split
  bool m_threshold_is_fixed = false; // at the lowest
  const run_terms* m_terms;
  std::span<node_statistics> m_statistics;
  const double m_size;
  instance_search* m_searches;
  std::unique_ptr<timeline_buffer> m_timeline;
  detail::atomic<bool> m_tracing{true};
  detail::atomic<std::uint32_t> m_splits{0};
  run_services m_services;
  detail::spinlock m_lock; // guards all below
  std::vector<std::unique_ptr<local_statistics[]>> m_shards;
  std::vector<local_statistics*> m_free_shards; // has room for all
  frame* m_captured = nullptr;
  std::vector<shared_future<value>> m_asynchronous;
};

// What evaluation needs at hand. One per task and stack; never shared, never outlives its stack frame.
class context {
 public:
  context(run_state& r, std::uint32_t call_depth)
      : run(r), local(r.lease_statistics()), depth(call_depth), now(detail::ticks_now()), m_spawns(r.spawns()) {}
  // Goes on with the work of `outer`, which waits meanwhile, on another stack.
  explicit context(const context& outer) noexcept
      : run(outer.run),
        local(outer.local),
        depth(outer.depth),
        now(outer.now),
        children(outer.children),
        before_loops(outer.before_loops),
        m_spawns(outer.m_spawns),
        m_leased(false) {}
  ~context() {
    if (m_leased && local) run.give_back(local);
  }
  context& operator=(const context&) = delete;

  // Back on the stack of `outer`.
  void return_to(context& outer) const noexcept {
    outer.now = now;
    outer.children = children;
  }

  // Time to go on on another stack: what is left just covers the nodes up to the next check and a kernel.
  bool stack_is_low() const noexcept { return stack_pointer() < m_stack_floor; }

  // The policy may spawn here. Not in very deep recursion: there is work enough for all, and every suspended level
  // would hold a stack, of which there are only some ten thousands.
  bool spawns() const noexcept { return m_spawns && depth <= k_deepest_spawn; }
  bool overlaps() const noexcept { return run.overlaps() && depth <= k_deepest_spawn; }

  run_state& run;
  local_statistics* const local; // null where instances are spawned one by one
  std::uint32_t depth;           // of nested PhySL calls
  std::int64_t now;              // time stamp of the latest measured moment
  std::int64_t children = 0;     // ticks spent in other instances since the current one began
  bool before_loops = false;     // in the run's main flow, and in no loop

 private:
  static constexpr std::size_t k_stack_reserve = 96 * 1024;
  static constexpr std::uint32_t k_deepest_spawn = 500;
  static std::uintptr_t stack_pointer() noexcept {
    return reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  }

  static std::uintptr_t stack_floor() noexcept {
    const auto left = this_task::stack_remaining();
    return stack_pointer() - (left > k_stack_reserve ? left - k_stack_reserve : 0);
  }

  const bool m_spawns, m_leased = true;
  const std::uintptr_t m_stack_floor = stack_floor();
};

} // namespace treadle::tree
