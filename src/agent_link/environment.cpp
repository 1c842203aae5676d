#include "agent_link/environment.hpp"

#include "agent_link/key_file.hpp"
#include "base/variable.hpp"
#include "observe/programs/private_directory.hpp"

#include <treadle/observe/programs.hpp>

#include <map>
#include <stdexcept>

#include <sys/un.h>

namespace treadle {
namespace detail {
namespace {

agent_address address_in(const std::string& folder, bool was_asked_for) {
  const std::string file = folder + '/' + k_agent_socket;
  if (file.size() >= sizeof(sockaddr_un::sun_path))
    throw std::invalid_argument("folder of an agent: '" + folder + "' is too long a name for a socket");
  return {"ipc://" + file, file, std::nullopt, was_asked_for};
}

} // namespace

curve_keys read_curve_keys(const std::string& file) {
  std::map<std::string, std::string> keys;
  for (const auto& [name, key] : read_key_file(file)) keys[name] = key;
  const auto find = [&](const char* name) {
    const std::string& key = keys[name];
    if (key.empty()) throw std::invalid_argument(file + ": expected a line '" + name + "' with a key of 40 characters");
    return key;
  };
  return {find("server-public"), find("public"), find("secret")};
}

std::optional<agent_address> address_of_agent() {
  const std::string given(variable("TREADLE_AGENT"));
  if (given == "off") return std::nullopt;
  if (given.empty()) return address_in(program_directory(), false);
  if (given.find("://") == std::string::npos) {
    require_private_directory(given);
    return address_in(given, true);
  }
  if (!given.starts_with("tcp://"))
    throw std::invalid_argument("TREADLE_AGENT: expected 'off', a folder or tcp://HOST:PORT, got '" + given + "'");
  const std::string keys(variable("TREADLE_AGENT_KEYS"));
  if (keys.empty())
    throw std::invalid_argument("TREADLE_AGENT: " + given +
                                " needs the keys of CURVE (TREADLE_AGENT_KEYS=FILE): anybody could be there");
  return agent_address{given, "", read_curve_keys(keys), true};
}

core_wish wish_of_environment() {
  return parse_core_wish(std::string(variable("TREADLE_AGENT_WISH")), "TREADLE_AGENT_WISH");
}

} // namespace detail
} // namespace treadle
