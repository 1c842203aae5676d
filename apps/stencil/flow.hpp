#pragma once

#include "stencil/partitions.hpp"

#include <treadle/dataflow.hpp>
#include <treadle/future.hpp>
#include <treadle/latch.hpp>

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

namespace stencil {

/// So many rounds may have tasks that are not done: memory stays bounded (HPX: --nd).
inline constexpr std::size_t k_rounds_ahead = 10;

/// Rounds of tasks around a ring. Part i of a round is what make(round, i, left, middle, right) returns, called as a
/// task as soon as its arguments are ready: the shared futures of the three closest parts of the round before, `now` at
/// first. There is no barrier between rounds. make must get() all three, so that an exception reaches the last round,
/// which is left in `now`. Blocks until that is done, and throws what a task threw.
template <class T, class Make>
void flow_around(const partitions& parts, std::size_t rounds, std::vector<treadle::shared_future<T>>& now,
                 const Make& make) {
  using part = treadle::shared_future<T>;
  struct counted_down {
    treadle::latch& latch;
    ~counted_down() { latch.count_down(); }
  };
  std::optional<treadle::latch> unfinished[k_rounds_ahead];
  std::vector<part> next(now.size());
  const auto wait = [](const std::vector<part>& some) {
    for (const part& p : some) {
      if (p.valid()) p.wait();
    }
  };
  try {
    for (std::size_t round = 0; round < rounds; ++round) {
      auto& here = unfinished[round % k_rounds_ahead];
      if (here) here->wait();
      here.emplace(static_cast<std::ptrdiff_t>(now.size()));
      for (std::size_t i = 0; i < now.size(); ++i) {
        next[i] = treadle::dataflow(
            [&make, &latch = *here, round, i](const part& left, const part& middle, const part& right) {
              const counted_down at_end{latch};
              return make(round, i, left, middle, right);
            },
            now[parts.before(i)], now[i], now[parts.after(i)]);
      }
      now.swap(next);
    }
  } catch (...) { // no memory for a task; those that exist refer to this frame
    wait(now);
    wait(next);
    throw;
  }
  wait(now);
  for (const part& p : now) p.get();
}

} // namespace stencil
