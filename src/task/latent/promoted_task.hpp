#pragma once

#include <treadle/detail/future_state.hpp>
#include <treadle/detail/latent.hpp>

namespace treadle::detail {

class loop;

/// What latent work becomes when it is promoted: a task that others can steal. The one that promoted it holds one
/// reference and has to join it, the queue another, so neither has to care what the other does with it.
class promoted_task final : public future_state {
 public:
  promoted_task() noexcept { make_claimable(false); }

  /// Blocks until it is done, running it here when nobody has started it.
  void join() noexcept;
  const std::exception_ptr& failure() const noexcept { return m_exception; }

  task_name name() const noexcept override { return kind->name; }

  const latent_kind* kind = nullptr;
  latent_fork* fork = nullptr; // of a fork; it may be gone as soon as the task is complete

  // Of a loop:
  loop* whole = nullptr;
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  void* state = nullptr; // what the part has accumulated, when it is complete
  promoted_task* next_piece = nullptr;

  worker* promoted_by = nullptr;
  bool whole_stack = false; // everything older was promoted with it
  bool worth_waking = true; // somebody who sleeps

 private:
  void execute(sharing) noexcept override;
  /// Another worker that has taken the task is often done with it in a moment, and suspending would move the joiner to
  /// another core, away from its data.
  void await_thief() const noexcept;

  atomic<worker*> m_taken_by{nullptr}; // relaxed: a hint while the task runs
};

} // namespace treadle::detail
