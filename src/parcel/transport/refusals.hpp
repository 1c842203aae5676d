// What all transports refuse, in the same words.
#pragma once

#include <stdexcept>
#include <string>

namespace treadle::detail {

[[noreturn]] inline void throw_damaged(unsigned from, unsigned to) {
  throw std::runtime_error("localities: what locality " + std::to_string(from) + " has sent to locality " +
                           std::to_string(to) + " is damaged");
}

[[noreturn]] inline void throw_other_program(unsigned other, unsigned here) {
  throw std::runtime_error("localities: locality " + std::to_string(other) +
                           " runs another program, or another version of it, than locality " + std::to_string(here));
}

} // namespace treadle::detail
