// Values as bytes, for another process of the same program on a machine with the same numbers.
#pragma once

#include <treadle/arrays/value.hpp>

#include <cstddef>
#include <span>
#include <vector>

namespace treadle::detail {

// Appends the value. Futures are waited for; a function has no bytes: value_error.
void write_bytes(std::vector<std::byte>& to, const value& v);

// Takes one value from the front. Arrays are row-major and nobody else's. value_error where the bytes are none that
// write_bytes() makes, whatever they are; nothing is allocated that is much larger than they are.
value read_bytes(std::span<const std::byte>& from);

} // namespace treadle::detail
