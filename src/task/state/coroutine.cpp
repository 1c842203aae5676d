#include <treadle/coroutine.hpp>

#include "task/engine/scheduler.hpp"
#include "task/state/running_scope.hpp"

namespace treadle::detail {

void coroutine_resumption::resume_as_task(std::coroutine_handle<> coroutine) noexcept {
  m_coroutine = coroutine;
  count(&readiness_counts::coroutines, ~std::uint64_t{0}); // one less
  try {
    queue_here(*this);
  } catch (...) { // no runtime can be had: it goes on here
    coroutine.resume();
  }
}

void coroutine_resumption::leave() noexcept {
  count(&readiness_counts::coroutines);
  if (worker* w = this_worker()) w->end_blocking();
}

namespace {

/// Stands for the coroutine while it runs, which may destroy its frame.
struct resumed final : job {
  void run() noexcept override {}
  task_name name() const noexcept override { return name_from("a coroutine that goes on"); }
};

} // namespace

void coroutine_resumption::run() noexcept {
  {
    const resumed what;
    tell(event_kind::task_created, what);
    const running_scope running(what);
    m_coroutine.resume();
  }
  this_worker()->counters.count_finished();
}

} // namespace treadle::detail
