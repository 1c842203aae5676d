#include "task/engine/background.hpp"

#include "base/fork.hpp"

#include <treadle/detail/spinlock.hpp>

namespace treadle::detail {

void set_background_work(background_work* work) noexcept {
  using polling = background_polling;
  const bool is_in_child = fork_generation() != polling::s_forks.load(order::relaxed);
  if (!work) {
    polling::s_users.close();
    while (!is_in_child && polling::s_users.is_used()) cpu_relax(); // they still need what s_work says
  }
  polling::s_work.store(work, order::relaxed);
  if (!work) return;
  if (is_in_child) { // where those that are counted do not exist, and nobody has entered yet
    polling::s_users.reset(0);
    polling::s_forks.store(fork_generation(), order::release); // pairs with enter()
  }
  polling::s_users.open();
}

background_work* background_polling::enter() noexcept {
  if (fork_generation() != s_forks.load(order::acquire) || !s_users.enter()) return nullptr;
  return s_work.load(order::relaxed);
}

void background_polling::flush_what_is_there() noexcept {
  if (background_work* const work = enter()) {
    work->flush();
    leave();
  }
}

} // namespace treadle::detail
