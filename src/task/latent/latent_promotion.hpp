#pragma once

#include "task/latent/handover.hpp"

#include <treadle/detail/latent.hpp>

namespace treadle::detail {

class promoted_task;

/// Makes tasks of the latent work on the stacks of one worker. By that worker unless it says otherwise.
/// docs/design/latent-forks.md
class latent_promotion {
 public:
  explicit latent_promotion(worker& owner) noexcept;
  ~latent_promotion();

  /// Makes a task of the oldest latent work of the stack that runs, unless there is something to steal already.
  void promote_oldest(task_stack& current) noexcept;
  /// Makes tasks of all latent work of the stack that runs, because it is about to be left. Throws std::bad_alloc: some
  /// stays latent.
  void promote_all(task_stack& current);
  /// Makes a task of (the part to be given away of, unless `all`) one record; false when it has nothing to give.
  bool promote(latent_work& record, bool all);

  /// What became of promoted work when its creator came back to it. As long as nobody takes any, the next promotions
  /// are put off.
  void note_joined(bool stolen) noexcept;
  /// Before something that is worth promoting by measurement: the next promotion is not put off if somebody waits for
  /// it, or if waking somebody for it pays.
  void end_pause(bool worth_waking) noexcept;

  /// By another worker: asks for latent work by a signal, if this one is busy and was not asked just now. True when it
  /// was done.
  bool nudge() noexcept;
  /// In the signal handler, between any two instructions of this worker: hands over its oldest latent work.
  void answer_nudge(task_stack& current) noexcept;
  /// Takes what `other`, perhaps this worker itself, has handed over in its signal handler; null when there is nothing.
  job* accept_from(latent_promotion& other) noexcept;
  /// Any thread.
  bool has_handed() const noexcept { return m_handed.is_full(); }
  /// By the joiner of a task that may still be there, so that it does not look like something to steal.
  void take_back(promoted_task& task) noexcept;

 private:
  /// Moves a record's work into a task; false when it has nothing to give.
  bool fill(promoted_task& task, latent_work& record, bool all) noexcept;
  /// Calls give(record) for the records of a stack, the oldest first, until it returns true.
  template <class Give>
  bool give_oldest(task_stack& current, Give give);

  worker& m_owner;
  bool m_promotes = false;               // the signal handler must not
  handover<promoted_task> m_handed;      // from answer_nudge() to who takes it
  atomic<std::int64_t> m_nudge_after{0}; // in ticks: no nudge is welcome before
  atomic<std::int64_t> m_nudge_pause_ns{0};
  std::int64_t m_promote_after = 0; // in ticks
  std::int64_t m_pause_ns = 0;
};

} // namespace treadle::detail
