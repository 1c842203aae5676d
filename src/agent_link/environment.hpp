#pragma once

#include "agent_link/zeromq.hpp"

#include <treadle/observe/agent.hpp>

#include <optional>
#include <string>

namespace treadle::detail {

struct agent_address {
  std::string endpoint; ///< as ZeroMQ has it
  std::string file;     ///< of the socket; empty where it is not on this machine's file system
  std::optional<curve_keys> keys;
  bool was_asked_for = false; ///< by TREADLE_AGENT; otherwise it is the default
};

/// Where this program's agent is, or would be. TREADLE_AGENT has `off` (then there is none), a folder, or an address
/// "tcp://HOST:PORT" with TREADLE_AGENT_KEYS, a file with the keys of CURVE; without it program_directory() counts.
/// Throws std::invalid_argument that names the variable, std::system_error where the folder is not private.
std::optional<agent_address> address_of_agent();
/// TREADLE_AGENT_WISH. Throws std::invalid_argument.
core_wish wish_of_environment();

/// The keys in a file: lines "server-public KEY", "public KEY", "secret KEY". Throws std::invalid_argument, and
/// std::system_error when the file cannot be read or is open to others.
curve_keys read_curve_keys(const std::string& file);

inline constexpr const char* k_agent_socket = "agent.sock";

} // namespace treadle::detail
