// What programs and their agent say to each other: one JSON object per message. docs/design/agent.md
#pragma once

#include <treadle/observe/agent.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace treadle::detail {

inline constexpr int k_protocol_version = 1;
inline constexpr std::size_t k_message_bytes_max = 64 * 1024; ///< but for answers to tools
inline constexpr std::size_t k_answer_bytes_max = 64 * 1024 * 1024;
inline constexpr std::uint64_t k_epoch_most = std::uint64_t{1} << 61; ///< that a program may say; agents go on above it

namespace message {

// By a program.
/// Here I am. Also after a time without grants: the agent may have begun anew.
struct hello {
  std::string program; ///< a number of 128 bits of its own, in hexadecimal: it tells one from all others, for ever
  int pid = 0;
  std::string name;
  unsigned workers = 0; ///< that it has
  core_wish wish;
  std::uint64_t epoch = 0; ///< of the last grant that it had, from whatever agent
  bool is_command = false; ///< it governs processes that know nothing of this, by their masks: grants have `cpus`
};
/// The grant is in force from now on: no worker begins a task beyond it.
struct ack {
  std::uint64_t epoch = 0;
};
/// And the last task beyond it has ended, so long after the grant came.
struct effective {
  std::uint64_t epoch = 0;
  double after_us = 0;
};
/// It could use this many cores now; fewer than granted while its tasks block, or when it has none.
struct need {
  unsigned workers = 0;
};
struct bye {};

// By the agent.
/// At most `workers` workers may be active until the lease is over. An epoch that is not newer than the last one renews
/// the lease.
struct grant {
  std::uint64_t epoch = 0;
  unsigned workers = 0;
  unsigned lease_ms = 0;
  std::string reason;
  std::vector<unsigned> cpus = {}; ///< hardware threads for a command, no others' as long as there are enough
};
/// The agent does not know who sent this: say hello.
struct who {};
/// Nothing was done, for this reason.
struct refused {
  std::string why;
};

// By tools, and the answer to them; what is in them is JSON again.
struct request {
  std::string command;
  std::string arguments; ///< an object
};
struct answer {
  std::string content;
};

} // namespace message

using any_message = std::variant<message::hello, message::ack, message::effective, message::need, message::bye,
                                 message::grant, message::who, message::refused, message::request, message::answer>;

std::string to_json(const any_message& m);
/// Fields that this version does not know are ignored. Throws std::invalid_argument, which names the field, when it is
/// no message: no JSON, too long, of another version or type, a field missing, of another type or out of range.
any_message message_from_json(std::string_view text, std::size_t bytes_max = k_message_bytes_max);

} // namespace treadle::detail
