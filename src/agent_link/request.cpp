#include "agent_link/environment.hpp"
#include "agent_link/messages.hpp"
#include "base/clock.hpp"
#include "observe/programs/private_directory.hpp"

#include <treadle/observe/programs.hpp>

#include <stdexcept>

#include <unistd.h>

namespace treadle {

std::string ask_agent(std::string_view command, std::string_view arguments, unsigned patience_ms) {
  using namespace detail;
  const std::optional<agent_address> address = address_of_agent();
  const std::string none = "no agent answers at ";
  if (!address) throw std::runtime_error("TREADLE_AGENT=off");
  if (!address->file.empty() && access(address->file.c_str(), F_OK) != 0)
    throw std::runtime_error(none + address->file + "; `treadle agent start` starts one");
  if (!address->was_asked_for) require_private_directory(program_directory()); // or somebody else could be there
  zeromq_dealer dealer(address->endpoint, address->keys);
  dealer.send(to_json(message::request{std::string(command), std::string(arguments)}));
  const std::int64_t end_ns = steady_now_ns() + std::int64_t{patience_ms} * 1'000'000;
  for (std::int64_t left; (left = end_ns - steady_now_ns()) > 0;) {
    dealer.wait(-1, left);
    const std::optional<std::string> text = dealer.receive();
    if (!text) continue;
    const any_message got = message_from_json(*text, k_answer_bytes_max);
    if (const auto* const answer = std::get_if<message::answer>(&got)) return answer->content;
    if (const auto* const refused = std::get_if<message::refused>(&got)) throw std::invalid_argument(refused->why);
  }
  throw std::runtime_error(none + (address->file.empty() ? address->endpoint : address->file) + " within " +
                           std::to_string(patience_ms) + " ms");
}

} // namespace treadle
