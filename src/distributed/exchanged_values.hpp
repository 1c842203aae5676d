// What this locality gives to operations of all localities, until all others have taken it.
// docs/design/distributed-arrays.md
#pragma once

#include <treadle/arrays/value.hpp>
#include <treadle/condition_variable.hpp>
#include <treadle/mutex.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace treadle::distributed {

struct operation {
  std::uint64_t run = 0, number = 0; // of the run in the program, and of the operation in the run
  friend auto operator<=>(const operation&, const operation&) = default;
};

// Any task or thread. Runs come one after the other.
class exchanged_values {
 public:
  std::uint64_t begin_run(std::uint64_t program);            // of that identity
  void end_run(std::uint64_t run, std::string why) noexcept; // `why`: it has failed
  void open();                                               // before the first run, once: std::logic_error
  void close();                                              // the program is over here

  std::uint64_t program(); // of the latest run
  void give(operation at, std::string name, std::vector<std::byte> bytes);
  // All localities have given something to this operation, so none needs what was given to those before.
  void passed(operation at);

  // Suspends the task until it is there. value_error: it will never be, or belongs to another name.
  std::vector<std::byte> take(operation at, std::uint64_t program, const std::string& name);

 private:
  struct given {
    std::uint64_t program;
    std::string name;
    std::vector<std::byte> bytes;
  };
  mutex m_lock; // of all
  condition_variable m_changed;
  std::map<operation, given> m_given;
  std::uint64_t m_run = 0, m_program = 0; // the latest one
  bool m_runs = false;                    // it has not ended
  bool m_was_opened = false, m_is_over = false;
  std::pair<std::uint64_t, std::string> m_failed; // the latest one that has
};

} // namespace treadle::distributed
