#pragma once

#include "task/wait/input_hooks.hpp"

#include <treadle/detail/continuation_list.hpp>
#include <treadle/detail/spinlock.hpp>

#include <algorithm>

namespace treadle::detail {

/// Publishes a target when this many of the inputs are ready. The target may go before: then it takes the hooks back by
/// close(), so that what nobody can see is not waited for.
///
/// The hooks own no share of the target, or it would never go. So only the completing thread that decides uses it, and
/// close() waits until that has published; what waited for the target is fired afterwards, because that may drop it.
/// Target::publish() makes the value and returns the continuations.
template <class State, class Target>
class required_inputs final : public input_hooks<State, required_inputs<State, Target>> {
  using hooks = input_hooks<State, required_inputs>;

 public:
  required_inputs(std::size_t required, std::vector<State*> inputs, Target target)
      : hooks(std::move(inputs)), m_required(std::min(required, this->count())), m_target(target) {
    m_in_use.lock();
  }

  /// Once, by the target's maker, who has one share of this and gives it up by close().
  void start() noexcept {
    if (m_required > 0) return this->attach_hooks();
    this->decide();
    finish();
  }
  /// By the destructor of the target: afterwards that and the inputs may go.
  void close() noexcept {
    if (this->decide())
      this->withdraw_hooks();
    else
      m_in_use.lock();
    this->release();
  }

  void input_fired(std::size_t) noexcept {
    if (m_fired.fetch_add(1, order::acq_rel) + 1 != m_required || !this->decide()) return;
    if (m_required < this->count()) this->withdraw_hooks(); // else all have fired
    finish();
  }

 private:
  friend hooks; // deletes it
  ~required_inputs() = default;
  void finish() noexcept {
    continuation* const waiting = m_target.publish();
    m_in_use.unlock();
    continuation_list::fire(waiting);
  }

  const std::size_t m_required;
  atomic<std::size_t> m_fired{0};
  spinlock m_in_use; // the target: held from the beginning until it is published, and then by close() for good
  Target m_target;
};

} // namespace treadle::detail
