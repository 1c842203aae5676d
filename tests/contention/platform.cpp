// What the product asks the machine for, played by the simulated cores: fences, futexes, the clock, pauses.
#include "base/clock.hpp"
#include "base/sync/park.hpp"
#include "contention/simulated_cores.hpp"

#include <treadle/detail/fence.hpp>
#include <treadle/detail/spinlock.hpp>

namespace treadle::detail {

using contention::simulated_cores;

void light_fence(std::source_location) noexcept {}
void heavy_fence(std::source_location) noexcept { simulated_cores::current()->fence(); }
void futex_wait(atomic<std::uint32_t>& word, std::uint32_t expected, std::int64_t timeout_ns) noexcept {
  word.wait(expected, timeout_ns);
}
void futex_wake(atomic<std::uint32_t>& word, int count) noexcept { word.wake(count); }
std::int64_t steady_now_ns() noexcept { return static_cast<std::int64_t>(simulated_cores::current()->now()); }
std::int64_t ns_to_ticks(std::int64_t ns) noexcept { return ns; } // as ticks_now() has it there
void cpu_relax(std::source_location) noexcept { cpu_relax_for(1); }
void cpu_relax_for(int pauses, std::source_location) noexcept { simulated_cores::current()->spend(10 * pauses); }

} // namespace treadle::detail
