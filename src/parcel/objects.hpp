// The objects of this process that others refer to, and what this process refers to:
// include/treadle/localities/object.hpp.
#pragma once

#include <cstddef>

namespace treadle::detail {

/// When localities begin. Throws std::logic_error where there are objects, whose names would mean others from then on.
void begin_objects();
/// All objects and names of this process end; when the localities do.
void end_objects() noexcept;

/// How many there are.
std::size_t objects_here() noexcept;

} // namespace treadle::detail
