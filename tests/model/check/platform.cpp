// What the product asks the machine for, played by the execution: fences, futexes, the clock, the pause of a spin loop.
#include "model/check/execution.hpp"

#include "base/clock.hpp"
#include "base/sync/park.hpp"

#include <treadle/detail/fence.hpp>
#include <treadle/detail/spinlock.hpp>

namespace treadle::detail {

using check::execution;
using check::operation;

void light_fence(std::source_location at) noexcept {
  if (!fence_is_present(operation::light_fence, at)) return;
  execution& e = *execution::current();
  e.step();
  e.state.light_fence(e.thread());
  e.note({e.thread(), "light_fence", at});
}

void heavy_fence(std::source_location at) noexcept {
  if (!fence_is_present(operation::heavy_fence, at)) return;
  execution& e = *execution::current();
  e.step();
  e.state.heavy_fence(e.thread());
  e.note({e.thread(), "heavy_fence", at});
}

void futex_wait(atomic<std::uint32_t>& word, std::uint32_t expected, std::int64_t timeout_ns) noexcept {
  word.wait(expected, timeout_ns, std::source_location::current());
}
void futex_wake(atomic<std::uint32_t>& word, int count) noexcept { word.wake(count, std::source_location::current()); }

void shared_futex_wait(atomic<std::uint32_t>& word, std::uint32_t expected, std::int64_t timeout_ns) noexcept {
  futex_wait(word, expected, timeout_ns);
}
void shared_futex_wake(atomic<std::uint32_t>& word, int count) noexcept { futex_wake(word, count); }

std::int64_t steady_now_ns() noexcept { return execution::current()->now_ns; }
std::int64_t ns_to_ticks(std::int64_t ns) noexcept { return ns; } // as ticks_now() has it there

void cpu_relax(std::source_location at) noexcept { execution::current()->yield(at); }
void cpu_relax_for(int, std::source_location at) noexcept { cpu_relax(at); }

} // namespace treadle::detail
