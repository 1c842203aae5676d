#pragma once

#include <string>
#include <string_view>

namespace treadle::loop {

constexpr std::size_t k_longest_name = 80;

/// The name of an instance in at most this many bytes. Names of places are signatures, which templates make some
/// thousand bytes long. Those of algorithms are called by their last template argument, the program's function. Of
/// others, what is in brackets is left out, the deepest first, and then the beginning, so that the end stays.
std::string short_name(std::string_view name, std::size_t most = k_longest_name);

} // namespace treadle::loop
