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

/// Rounds of tasks around a ring, of which each task starts as soon as the parts that it needs are ready: there is no
/// barrier between rounds. What calls these functions may block in them; an exception of a task arrives in wait() when
/// tasks pass on those of the parts they get.
template <class T>
class flow {
 public:
  using part = treadle::shared_future<T>;

  /// At most this many rounds have tasks that are not done, so that memory stays bounded (HPX: --nd).
  static constexpr std::size_t k_rounds_ahead = 10;

  /// From `now` on, one for each of `parts`; both are of the last round that was begun, which wait() waits for.
  flow(partitions& parts, std::vector<part>& now) : m_parts(parts), m_now(now) {}
  ~flow() { // no memory for a task, perhaps; those that exist refer to this object
    await(m_now);
    await(m_next);
  }
  flow(const flow&) = delete;
  flow& operator=(const flow&) = delete;

  /// Waits until a round may begin. Returns the round that is done since, when it is not one of the first.
  std::optional<std::size_t> await_room() {
    auto& here = m_unfinished[m_round % k_rounds_ahead];
    if (!here) return std::nullopt;
    here->wait();
    return m_round - k_rounds_ahead;
  }

  /// A round: part i is make(round, i, left, middle, right) of the three closest parts of the round before. `make` must
  /// live until wait() has returned.
  template <class Make>
  void step(const Make& make) {
    treadle::latch& unfinished = begin_round(m_parts.count());
    for (std::size_t i = 0; i < m_now.size(); ++i) {
      m_next.push_back(treadle::dataflow(
          [&make, &unfinished, round = m_round, i](const part& left, const part& middle, const part& right) {
            const counted_down at_end{unfinished};
            return make(round, i, left, middle, right);
          },
          m_now[m_parts.before(i)], m_now[i], m_now[m_parts.after(i)]));
    }
    end_round();
  }

  /// A round that cuts the ring anew: part i is make(read, offset, points), of the parts that hold its points and those
  /// beside them; point `offset` of these is the one in front of it.
  template <class Make>
  void step_into(const partitions& wanted, const Make& make) {
    treadle::latch& unfinished = begin_round(wanted.count());
    const std::size_t points = wanted.end(wanted.count() - 1);
    for (std::size_t j = 0; j < wanted.count(); ++j) {
      const std::size_t before = (wanted.begin(j) + points - 1) % points, size = wanted.size(j);
      std::size_t i = m_parts.index_of(before);
      const std::size_t offset = before - m_parts.begin(i);
      std::vector<part> sources;
      sources.reserve((offset + size + 2) / m_parts.smallest() + 2);
      for (std::size_t have = 0; have < offset + size + 2; i = m_parts.after(i)) {
        sources.push_back(m_now[i]);
        have += m_parts.size(i);
      }
      m_next.push_back(treadle::dataflow(
          [&make, &unfinished, offset, size](const std::vector<part>& read) {
            const counted_down at_end{unfinished};
            return make(read, offset, size);
          },
          std::move(sources)));
    }
    m_parts = wanted;
    end_round();
  }

  /// Until all is done; throws what a task threw.
  void wait() {
    await(m_now);
    for (const part& p : m_now) p.get();
  }

 private:
  struct counted_down {
    treadle::latch& latch;
    ~counted_down() { latch.count_down(); }
  };

  static void await(const std::vector<part>& some) {
    for (const part& p : some) p.wait();
  }

  treadle::latch& begin_round(std::size_t tasks) {
    await_room();
    m_next.clear();
    m_next.reserve(tasks);
    return m_unfinished[m_round % k_rounds_ahead].emplace(static_cast<std::ptrdiff_t>(tasks));
  }
  void end_round() {
    m_now.swap(m_next);
    ++m_round;
  }

  partitions& m_parts;
  std::vector<part>& m_now;
  std::vector<part> m_next;
  std::size_t m_round = 0;
  std::optional<treadle::latch> m_unfinished[k_rounds_ahead];
};

} // namespace stencil
