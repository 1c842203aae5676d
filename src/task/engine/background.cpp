#include "task/engine/background.hpp"

#include <treadle/detail/spinlock.hpp>

namespace treadle::detail {

void set_background_work(background_work* work) noexcept {
  background_polling::s_work.store(work, order::seq_cst);
  while (background_polling::s_users.load(order::seq_cst) != 0 && !work) cpu_relax();
}

} // namespace treadle::detail
