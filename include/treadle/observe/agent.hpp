#pragma once

#include <cstdint>
#include <string>
#include <string_view>

/// What a program has to do with the agent that shares this machine's cores out to programs, if there is one
/// (`treadle agent`). A program without one uses what its mask and its control group let it.
namespace treadle {

/// What a program asks of the agent.
struct core_wish {
  unsigned least = 0;        ///< it is given this many at a time, or none while others have their turn; 0: one
  unsigned most = 0;         ///< and no more than that; 0: as many as it has workers
  double weight = 1;         ///< relative to other programs, at most 10^6
  bool is_preferred = false; ///< for the strategy half-to-priority
  std::string group, role;   ///< programs of one group belong together: the roles "producer" and "consumer"
  double target = 0;         ///< items that should lie between the two of a group; 0: what the agent's strategy has
};

/// "least=1,most=8,weight=2,preferred,group=NAME,role=producer,target=8", any of these in any order. Throws
/// std::invalid_argument that begins with `source` and names the part.
core_wish parse_core_wish(std::string_view text, const std::string& source);

/// From now on the program asks for that, in place of what TREADLE_AGENT_WISH says. Any thread. Throws
/// std::invalid_argument when `most` is less than `least`, or weight or target are out of range.
void wish_for_cores(const core_wish& wish);

/// How this program stands with the agent.
struct agent_status {
  bool is_governed = false; ///< it has a grant whose lease is not over
  unsigned granted = 0;     ///< workers that may be active
  std::uint64_t epoch = 0;  ///< of the grant
  std::string reason;       ///< that the agent gave
  std::string trouble;      ///< why there is no agent where one was asked for, or what it has refused; mostly empty
};
/// Any thread; a lock.
agent_status status_of_agent();

/// Asks the agent that this process would follow: "status", "settings" (an object of changes), "set" ({"program":
/// number, pid or name, "wish": changes}), "stop". `arguments` and the answer are JSON objects; their fields are those
/// of docs/guide/agent.md. Blocks. Throws std::runtime_error when no agent answers in time, std::invalid_argument with
/// the agent's reason when it refuses.
std::string ask_agent(std::string_view command, std::string_view arguments = "{}", unsigned patience_ms = 2000);

} // namespace treadle
