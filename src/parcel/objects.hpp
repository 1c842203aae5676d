// The objects of this process that others refer to, and what this process refers to:
// include/treadle/localities/object.hpp.
#pragma once

#include <cstddef>

namespace treadle::detail {

/// All objects and names of this process end; when the localities do.
void end_objects() noexcept;

/// How many there are.
std::size_t objects_here() noexcept;

} // namespace treadle::detail
