#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>

namespace treadle::detail {

/// The position of a name in a list, which is the value of an enumerator. Throws std::invalid_argument, "no <what>
/// 'name'; there are ...", when it is none of them.
template <class Enum, std::size_t N>
Enum enumerator_from_name(const std::string_view (&names)[N], std::string_view what, std::string_view name) {
  for (std::size_t i = 0; i < N; ++i)
    if (names[i] == name) return static_cast<Enum>(i);
  std::string message = "no " + std::string(what) + " '" + std::string(name) + "'; there are";
  for (std::size_t i = 0; i < N; ++i) message += (i == 0 ? " " : ", ") + std::string(names[i]);
  throw std::invalid_argument(message);
}

} // namespace treadle::detail
