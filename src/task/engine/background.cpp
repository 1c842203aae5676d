#include "task/engine/background.hpp"

#include "base/fork.hpp"

#include <treadle/detail/spinlock.hpp>

namespace treadle::detail {

void set_background_work(background_work* work) noexcept {
  if (work) {
    background_polling::s_users.store(0, order::relaxed); // a child has those of its parent
    background_polling::s_forks.store(fork_generation(), order::relaxed);
  }
  background_polling::s_work.store(work, order::seq_cst);
  if (work || fork_generation() != background_polling::s_forks.load(order::relaxed)) return;
  while (background_polling::s_users.load(order::seq_cst) != 0) cpu_relax();
}

/// Counted before it is looked for again: set_background_work() waits for who is counted.
background_work* background_polling::enter() noexcept {
  if (fork_generation() != s_forks.load(order::relaxed)) return nullptr;
  s_users.fetch_add(1, order::seq_cst);
  background_work* const work = s_work.load(order::seq_cst);
  if (!work) leave();
  return work;
}

void background_polling::flush_what_is_there() noexcept {
  if (background_work* const work = enter()) {
    work->flush();
    leave();
  }
}

} // namespace treadle::detail
