#pragma once

#include <treadle/detail/atomic.hpp>

namespace treadle::detail {

/// Of this process among the localities of its program, and how many there are.
inline constinit atomic<unsigned> own_number{0}, number_of_localities{1};

} // namespace treadle::detail
