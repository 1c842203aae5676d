#include "task/worker/worker_hook.hpp"

#include <system_error>

namespace treadle::detail {

static constinit thread_local bool in_worker_hook = false;

void call_worker_hook(void (*hook)(void*, unsigned) noexcept, void* context, unsigned worker) noexcept {
  if (!hook) return;
  in_worker_hook = true;
  hook(context, worker);
  in_worker_hook = false;
}

void refuse_in_worker_hook() {
  if (in_worker_hook)
    throw std::system_error(std::make_error_code(std::errc::resource_deadlock_would_occur),
                            "worker_hooks must not create tasks or wait for them");
}

} // namespace treadle::detail
