// For tests.
#pragma once

#include <stdexcept>
#include <string>

namespace treadle {

/// What f() is refused with.
template <class F>
std::string message_of(F f) {
  try {
    f();
  } catch (const std::invalid_argument& e) {
    return e.what();
  }
  return "no error";
}

} // namespace treadle
