// What a program says of itself, in memory that it shares with those who look. docs/design/programs.md
#pragma once

#include <treadle/detail/atomic.hpp>

#include <cstdint>
#include <type_traits>

namespace treadle::detail {

inline constexpr char k_page_magic[8] = {'t', 'r', 'e', 'a', 'd', 'l', 'e', '\0'};
inline constexpr std::uint32_t k_page_version = 1;
inline constexpr int k_streams = 8;

/// All numbers as program_report has them. Texts end in a zero.
struct program_state {
  struct progress {
    char stream[24];
    double value;
    std::int64_t at_ns; ///< 0: there is none here
  };
  struct decision {
    char kind[12], instance[52], chosen[32];
  };
  static constexpr int k_decisions = 32;

  std::int64_t at_ns; ///< when all this was so. Times are those of the monotonic clock, which all processes share
  std::int64_t began_ns, cpu_ns;
  std::uint32_t workers, granted, active, searching, parked, blocked;
  std::uint64_t queued, executed;
  progress streams[k_streams];
  std::uint32_t decisions;
  std::uint32_t outside; ///< threads that are no workers and compute; for links to agents only
  decision in_force[k_decisions];
};
static_assert(std::is_trivially_copyable_v<program_state> && sizeof(program_state) % 8 == 0);

/// Written by the program; readers only add to `asked` and `invitations`, and wake it. The state is that of `answered`,
/// unless `sequence` is odd or changes while it is read.
struct program_page {
  char magic[8];
  std::uint32_t version, bytes; ///< of a page of this version; a longer one begins like this
  std::int32_t pid;
  atomic<std::uint32_t> asked, answered, sequence;
  atomic<std::uint32_t> invitations; ///< by agents that have begun, before they ask
  char name[64];
  atomic<std::uint64_t> words[sizeof(program_state) / 8];
};
static_assert(std::is_standard_layout_v<program_page>);

/// By anybody: what the program says from now on is its answer to this question, when `answered` has come to what is
/// returned.
std::uint32_t ask(program_page& page) noexcept;
/// By the program alone. A reader that sees `sequence` even and unchanged has seen one state.
void write_state(program_page& to, const program_state& state) noexcept;
/// False when it is being written again and again, or by a program that stopped in the middle.
bool read_state(const program_page& from, program_state& state) noexcept;

} // namespace treadle::detail
