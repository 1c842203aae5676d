#pragma once

#include <treadle/detail/atomic.hpp>

namespace treadle::detail {

/// Of this process among the localities of its program, and how many there are.
inline constinit atomic<unsigned> own_number{0}, number_of_localities{1};
/// Called when this process begins to leave its program; set by who has to know. Null: nobody.
inline constinit atomic<void (*)()> before_departure{nullptr};

} // namespace treadle::detail
