// src/base/sync: what goes through a ring arrives once and in order, and a place is not written while it is read.
#include "base/sync/ring_turns.hpp"
#include "model/protocols.hpp"
#include "model/support.hpp"

#include <treadle/detail/spinlock.hpp>

namespace treadle::check {
namespace {

/// One thread writes that many numbers, waiting for room, and another one reads them.
void numbers(int count) {
  detail::ring_turns turns(2);
  plain<int> places[2] = {-1, -1};
  thread writer([&] {
    for (int i = 0; i < count; ++i) {
      while (!turns.has_room()) detail::cpu_relax();
      places[turns.place()] = i;
      turns.added();
    }
  });
  for (int next = 0; next < count;) {
    const int before = next;
    turns.take([&](std::uint64_t place) {
      require(places[place] == next, "numbers come in order, each once");
      ++next;
    });
    if (next == before) detail::cpu_relax();
  }
  writer.join();
}

} // namespace

std::vector<scenario> ring_scenarios() {
  return {{"ring_with_room", [] { numbers(2); }}, {"ring_that_is_full", [] { numbers(3); }}};
}

} // namespace treadle::check
