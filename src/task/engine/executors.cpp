#include <treadle/executors.hpp>

#include "task/counters/task_events.hpp"
#include "task/engine/scheduler.hpp"

namespace treadle::detail {

void schedule_at(job& task, const placement& where) {
  worker* here = this_worker();
  const bool at_home = here && (!where.pool || where.pool == &here->owner());
  if (where.level == priority::normal && (at_home || !where.pool)) return schedule(task);
  tell(event_kind::task_created, task);
  if (where.pool || here) {
    (where.pool ? *where.pool : here->owner()).submit(task, where.level);
  } else {
    scheduler& pool = enter_current_scheduler();
    pool.submit(task, where.level);
    pool.leave();
  }
}

bool is_at(const placement& where) noexcept {
  worker* here = this_worker();
  return here && where.level == priority::normal && (!where.pool || where.pool == &here->owner());
}

} // namespace treadle::detail
