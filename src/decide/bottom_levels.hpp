// How much work lies on the longest path behind each task, learned while programs run. docs/design/priorities.md
#pragma once

#include "base/rng.hpp"

#include <treadle/detail/atomic.hpp>
#include <treadle/detail/spinlock.hpp>

#include <memory>
#include <vector>

namespace treadle::decide {

using detail::atomic;

/// A worker compares the first of its own jobs with those of a number of others. With one the order is much worse on
/// many workers, with three hardly better.
inline constexpr unsigned k_looks_at_others = 2;

/// A task as it is made again and again; 0: none.
using task_number = std::uint32_t;

/// The bottom level of a task is the time from its start to the end of what depends on it, on as many workers as there
/// may be (the upward rank of Topcuoglu et al., TPDS 2002). A task is known again by who makes it and when: by the
/// site and the depth of its creator, its own site, and how many of that site the creator has made since it last waited
/// for something. A round, what a creator makes between two waits, is gone through backwards when the next one
/// begins, so levels are those of the latest complete round.
///
/// To order a task costs more than a short one takes. Where all that creators of a kind made was short for a while, and
/// what that made in turn, and no path through it was long, most of their rounds are not learned, and the tasks have
/// the number k_short.
///
/// Any thread may call; each `creator` belongs to one. Numbers that are lost to a race cost accuracy only. About 30 ns
/// per task and 64 bytes for each that is told apart, of which there are at most k_numbers: later ones have none.
class bottom_levels {
 public:
  static constexpr task_number k_numbers = 1U << 20;
  static constexpr task_number k_short = k_numbers;   ///< of tasks that are not told apart
  static constexpr std::uint32_t k_short_rounds = 16; ///< that a kind of creators makes, before one is not learned
  /// From then on one round out of this many is learned; and of the rounds of creators that belong to a learned round,
  /// one out of so few.
  static constexpr std::uint32_t k_rounds_per_learned = 128, k_rounds_per_learned_below = 8;
  static constexpr unsigned k_inputs = 4; ///< of a task that are remembered; of others half as fast
  static constexpr unsigned k_depth_max = 64;
  static constexpr std::size_t k_round_max = 1U << 16; ///< of tasks; then another one begins

  class creator;

  /// `short_time`: tasks that take less than this are short.
  explicit bottom_levels(float short_time = 0);
  void set_short_time(float time) noexcept { m_short_time.store(time, detail::order::relaxed); }
  bottom_levels(const bottom_levels&) = delete;
  bottom_levels& operator=(const bottom_levels&) = delete;
  ~bottom_levels();

  /// The creator makes a task of this site. 0 when there is no memory for it; k_short where it need not be ordered.
  task_number make(creator& by, const void* site) noexcept;
  /// The same for what takes no time: it is ready when its inputs are.
  task_number make_join(creator& by, const void* site) noexcept;
  /// The task needs what that one gives.
  void add_input(task_number task, task_number input) noexcept;
  /// The creator waits for what it has made. `own`: how long it has run; negative: not measured.
  void wait(creator& by, float own) noexcept;
  /// The task, a creator of others perhaps, has run for so long, without waiting and without tasks that it ran in
  /// place. Negative: it was not measured, this time.
  void end(creator& task, float own) noexcept;

  // Of a task that has a number, not k_short. 0 of one without:
  float level(task_number task) const noexcept;
  /// Without the task itself.
  float after(task_number task) const noexcept;
  float own(task_number task) const noexcept;
  bool has_run(task_number task) const noexcept;

  /// For a fork(): keeps all other threads out of what has locks. False, and nothing done, when one is in.
  bool try_lock() noexcept;
  void unlock() noexcept;

 private:
  struct learned_task;
  struct task_kind;
  struct creator_kind;
  struct round {
    std::vector<task_number> made;
    std::uint32_t unlearned = 0; // tasks before these
    bool was_waited_for = false;
  };

  learned_task& at(task_number task) const noexcept;
  creator_kind& kind_of(creator& c);
  task_kind& kind_of(creator_kind& by, const void* site);
  task_number number_of(task_kind& kind, std::uint32_t position);
  void begin_round(creator& by);
  void go_back_through(round& r, creator_kind& by, float after_time) noexcept;
  bool is_short(const learned_task& task, const creator_kind& by) const noexcept;
  bool learns_next(creator& by) const noexcept;
  void begin_learned(creator& by) noexcept;

  static constexpr task_number k_chunk = 4096;
  atomic<float> m_short_time;
  atomic<learned_task*> m_chunks[k_numbers / k_chunk]{};
  detail::spinlock m_lock; // of what follows
  task_number m_used = 1;
  std::vector<std::unique_ptr<creator_kind>> m_creators;
};

/// One execution of a task, or a thread that is in none, as somebody who makes tasks.
class bottom_levels::creator {
 public:
  creator();
  /// Begins anew; keeps its memory. `site` may be null where the task has a number, which knows its own. `learns`: its
  /// first round is learned in any case.
  void begin(task_number self, const void* site, bool learns = false) noexcept {
    m_self = self;
    m_site = site;
    m_learns = learns;
    m_kind = nullptr;
    m_waits = false;
    m_round.made.clear();
    m_counts.clear();
  }
  task_number self() const noexcept { return m_self; }
  bool has_made() const noexcept { return m_kind != nullptr && !m_waits; } ///< something, since it last waited

 private:
  friend class bottom_levels;
  struct count {
    task_kind* kind;
    std::uint32_t made; // since it last waited
  };

  task_number m_self = 0;
  const void* m_site = nullptr;
  creator_kind* m_kind = nullptr; // once it has made something
  bool m_waits = false;           // since it made the last one
  bool m_learns = false;          // its next round
  bool m_is_short = false;        // its round, which is not learned
  std::uint32_t m_unlearned = 0;  // tasks of that
  detail::xorshift m_random;      // which rounds are
  float m_waited_at = 0;
  round m_round;
  std::vector<count> m_counts;
};

} // namespace treadle::decide
