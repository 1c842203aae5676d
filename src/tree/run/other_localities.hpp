// What array programs of several processes do together. The tree knows no messages: src/distributed gives it `others`.
// docs/design/distributed-arrays.md
#pragma once

#include <treadle/arrays/physl.hpp>
#include <treadle/detail/atomic.hpp>

#include "physl/failure.hpp"

#include <cstdint>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace treadle::tree {

// What a program is compiled from.
struct program_text {
  std::string text, name, source;
};

struct random_state {
  std::mt19937 engine;
  std::uint32_t seed = std::mt19937::default_seed;
};

// name{L#n}(...): a call that locality n computes.
struct placed_call {
  const program_text& program;
  std::uint32_t node; // index of the call
  std::span<const value> arguments;
  const physl::run_options& options;
  std::optional<random_state> random; // where it may draw numbers
};
struct placed_result {
  value result;
  std::string written; // its output
  std::optional<random_state> random;
  std::optional<physl::failure> failed; // instead of the result
};

class other_localities {
 public:
  // Suspends the task until the result is there.
  virtual placed_result call(unsigned at, const placed_call& what) = 0;

  // Runs of programs that exchange something have numbers, the same in all localities. `why`: of one that has failed.
  virtual std::uint64_t begin_run(std::uint64_t program) = 0; // by its text
  virtual void end_run(std::uint64_t run, std::string why) noexcept = 0;
  // What all localities give to the operation of this number and name, in their order. value_error where one of them
  // does something else, or has ended.
  virtual std::vector<value> all_gather(std::uint64_t run, std::uint64_t number, std::string_view name,
                                        const value& own, const std::atomic<bool>* cancel) = 0;
  // The same for who needs what some of them give: offers its own, and takes one. Offers last until the next
  // all_gather() is complete.
  virtual void offer(std::uint64_t run, std::uint64_t number, std::string_view name, const value& own) = 0;
  virtual value take(std::uint64_t run, std::uint64_t number, std::string_view name, unsigned from,
                     const std::atomic<bool>* cancel) = 0;

 protected:
  ~other_localities() = default;
};

// Null: array programs of this process know no other ones. Acquire and release: what it points to is complete.
inline constinit detail::atomic<other_localities*> others{nullptr};
// For what needs them: an error where there are none.
other_localities& required_others();

// What one run exchanges with the same run in other localities.
class run_exchanges {
 public:
  run_exchanges(std::uint64_t program, const std::atomic<bool>* cancel); // as run_options has it
  ~run_exchanges();
  run_exchanges(const run_exchanges&) = delete;
  run_exchanges& operator=(const run_exchanges&) = delete;

  void fail(const char* why) noexcept;
  std::vector<value> all_gather(std::string_view operation, const value& own);
  std::uint64_t offer(std::string_view operation, const value& own);           // its number
  value take(std::string_view operation, std::uint64_t number, unsigned from); // another locality

 private:
  other_localities* const m_others; // null: this locality is the only one
  const std::uint64_t m_run;
  const std::atomic<bool>* const m_cancel;
  std::uint64_t m_begun = 0;
  std::string m_why;
};

// Computes a call that is placed here, by the same program.
placed_result execute_placed(const physl::program& program, const placed_call& what);

} // namespace treadle::tree
