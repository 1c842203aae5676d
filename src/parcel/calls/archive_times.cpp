#include "parcel/calls/archive_times.hpp"

#include "base/clock.hpp"

#include <treadle/detail/atomic.hpp>

#include <array>

namespace treadle::detail {
namespace {

constexpr std::uint32_t k_each = 16;

struct measured {
  atomic<std::uint32_t> uses{0};
  atomic<std::int64_t> ticks{0}; ///< of those that were measured
};
constinit std::array<measured, 2> all; // by archive_use
measured& of(archive_use what) noexcept { return all[static_cast<std::size_t>(what)]; }

} // namespace

archive_timer::archive_timer(archive_use what) noexcept : m_use(what) {
  if (of(what).uses.fetch_add(1, order::relaxed) % k_each == 0) m_begun = ticks_now();
}
archive_timer::~archive_timer() {
  if (m_begun != 0) of(m_use).ticks.fetch_add(ticks_now() - m_begun, order::relaxed);
}

double archive_time_ns(archive_use what) noexcept {
  return static_cast<double>(ticks_to_ns(k_each * of(what).ticks.load(order::relaxed)));
}

} // namespace treadle::detail
