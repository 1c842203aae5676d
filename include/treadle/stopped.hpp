#pragma once

#include <exception>

namespace treadle {

/// What a loop, an algorithm, a task or a get() throws that was asked to stop (stop.hpp).
class stopped : public std::exception {
 public:
  const char* what() const noexcept override { return "a stop was requested"; }
};

} // namespace treadle
