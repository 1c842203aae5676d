#include "observe/programs/page.hpp"

#include "base/sync/park.hpp"

#include <cstring>

namespace treadle::detail {

namespace {
constexpr std::size_t k_words = sizeof(program_state) / 8;
}

std::uint32_t ask(program_page& page) noexcept {
  // release: pairs with the publisher, for what the question is about
  const std::uint32_t question = page.asked.fetch_add(1, order::release) + 1;
  shared_futex_wake(page.asked);
  return question;
}

void write_state(program_page& to, const program_state& state) noexcept {
  std::uint64_t words[k_words];
  std::memcpy(words, &state, sizeof state);
  const std::uint32_t before = to.sequence.load(order::relaxed);
  to.sequence.store(before + 1, order::relaxed);
  // release: who reads one of these words sees the number above, or a later one.
  for (std::size_t i = 0; i < k_words; ++i) to.words[i].store(words[i], order::release);
  to.sequence.store(before + 2, order::release); // pairs with read_state(): the words
}

bool read_state(const program_page& from, program_state& state) noexcept {
  std::uint64_t words[k_words];
  for (int tries = 0; tries < 100; ++tries) {
    const std::uint32_t before = from.sequence.load(order::acquire);                         // pairs with write_state()
    for (std::size_t i = 0; i < k_words; ++i) words[i] = from.words[i].load(order::acquire); // pairs with the same
    if (before % 2 != 0 || from.sequence.load(order::relaxed) != before) continue;
    std::memcpy(&state, words, sizeof state);
    return true;
  }
  return false;
}

} // namespace treadle::detail
