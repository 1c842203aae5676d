#pragma once

#include <exception>

namespace treadle::detail {

/// The one that waits for a deposit, now or later, gets this instead.
void fail_deposits(const std::exception_ptr& why) noexcept;

} // namespace treadle::detail
