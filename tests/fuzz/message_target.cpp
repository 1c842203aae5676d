#include "message_target.hpp"

#include "agent_link/messages.hpp"

#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>

namespace treadle::fuzz {

void try_message(std::string_view text) {
  detail::any_message read;
  try {
    read = detail::message_from_json(text);
  } catch (const std::invalid_argument& refused) {
    if (*refused.what() != '\0') return;
    std::fputs("requirement failed: a refusal says why\n", stderr);
    std::abort();
  }
  const std::string written = detail::to_json(read);
  const detail::any_message again = detail::message_from_json(written);
  if (again.index() == read.index() && detail::to_json(again) == written) return;
  std::fputs("requirement failed: a message reads back as it was\n", stderr);
  std::abort();
}

} // namespace treadle::fuzz
