#pragma once

#include <cstdint>

namespace treadle::detail {

/// Chaos: in a build with TREADLE_CHAOS every atomic operation of the runtime may first let other threads run, for a
/// moment or for a while, so that the windows of its protocols are open for long and in places where they never would
/// be. A seed gives every thread the same sequence of disturbances again; which thread meets which operation is still
/// up to the system.
void seed_chaos(std::uint64_t seed) noexcept;

} // namespace treadle::detail
