// Counters of the other processes of a program, for who can reach them.
#pragma once

#include "base/process_in_program.hpp"
#include "observe/counter_type.hpp"

#include <treadle/detail/own_locality.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace treadle::detail {

/// Reads counters of other localities.
class other_localities {
 public:
  /// What counter_type::read() gives there. Waits. Throws std::runtime_error.
  virtual counter_sample read(unsigned locality, const counter_type& of, const std::string& instance,
                              const std::string& parameters) const = 0;
  /// As counter_type::instances() there. Waits. Throws std::runtime_error.
  virtual std::vector<std::string> instances(unsigned locality, const counter_type& of) const = 0;

 protected:
  ~other_localities() = default;
};

/// Null: there are none. Once it is set, it stays for the life of the process.
inline constinit atomic<const other_localities*> the_other_localities{nullptr};

/// An instance of this process: "locality#0/total"; the same before and after it has localities.
inline std::string at_home(std::string_view rest) {
  return "locality#" + std::to_string(number_in_program()) + '/' + std::string(rest);
}

} // namespace treadle::detail
