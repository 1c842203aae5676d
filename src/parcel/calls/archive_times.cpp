#include "parcel/calls/archive_times.hpp"

#include "base/clock.hpp"

#include <treadle/detail/atomic.hpp>

#include <array>

namespace treadle::detail {
namespace {

constexpr std::uint32_t k_each = 16;

constinit thread_local std::array<std::uint32_t, 2> uses{}; // by archive_use
constinit std::array<atomic<std::int64_t>, 2> all{};        // ticks of those that were measured, by archive_use
atomic<std::int64_t>& of(archive_use what) noexcept { return all[static_cast<std::size_t>(what)]; }

} // namespace

archive_timer::archive_timer(archive_use what) noexcept : m_use(what) {
  if (uses[static_cast<std::size_t>(what)]++ % k_each == 0) m_begun = ticks_now();
}
archive_timer::~archive_timer() {
  if (m_begun != 0) of(m_use).fetch_add(ticks_now() - m_begun, order::relaxed);
}

double archive_time_ns(archive_use what) noexcept {
  return static_cast<double>(ticks_to_ns(k_each * of(what).load(order::relaxed)));
}

} // namespace treadle::detail
