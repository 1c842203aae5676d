// The objects of this process that others refer to, and what this process refers to:
// include/treadle/localities/object.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>

namespace treadle::detail {

/// When localities begin. Throws std::logic_error where there are objects, whose names would mean others from then on.
void begin_objects();
/// A locality has died: those of which others wait for something, now or later, say so.
void give_up_objects(const std::exception_ptr& why) noexcept;
/// All objects and names of this process end; when the localities do.
void end_objects() noexcept;

/// How many there are.
std::size_t objects_here() noexcept;

/// Calls of objects that move, by references of this process: those that went to where the object was, and the others.
struct resolutions {
  std::uint64_t right, wrong;
};
resolutions resolutions_here() noexcept;

} // namespace treadle::detail
