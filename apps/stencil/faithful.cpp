#include "stencil/faithful.hpp"

#include "stencil/flow.hpp"
#include "stencil/heat.hpp"
#include "stencil/kernel.hpp"

#include <treadle/async.hpp>
#include <treadle/this_task.hpp>

#include <algorithm>
#include <utility>

namespace stencil {

faithful_ring::faithful_ring(std::size_t points, std::size_t partition_points)
    : m_parts(points, partition_points), m_asked(partition_points) {
  for (std::size_t i = 0; i < m_parts.count(); ++i) {
    m_now.push_back(treadle::async([first = m_parts.begin(i), size = m_parts.size(i)] {
      partition made{std::unique_ptr<double[]>(new double[size]), size};
      for (std::size_t k = 0; k < size; ++k) made.data[k] = initial_value(first + k);
      return made;
    }));
  }
  for (const future_partition& part : m_now) part.get();
}

faithful_ring::partition faithful_ring::heat_part(const partition& left, const partition& middle,
                                                  const partition& right) {
  const std::size_t size = middle.size, last = size - 1;
  const double* in = middle.data.get();
  partition next{std::unique_ptr<double[]>(new double[size]), size};
  const double before = left.data[left.size - 1], after = right.data[0];
  heat(next.data[0], before, in[0], last == 0 ? after : in[1]);
  if (last > 0) {
    advance_row(in + 1, next.data.get() + 1, last - 1);
    heat(next.data[last], in[last - 1], in[last], after);
  }
  treadle::this_task::note_memory(in, size * sizeof(double));
  treadle::this_task::note_memory(next.data.get(), size * sizeof(double));
  return next;
}

/// The sources follow each other around the ring; point `offset` of them is the one in front of the new partition.
faithful_ring::partition faithful_ring::heat_across(const std::vector<future_partition>& sources, std::size_t offset,
                                                    std::size_t size) {
  partition next{std::unique_ptr<double[]>(new double[size]), size};
  std::size_t base = 0; // of the source, counted from the first
  for (std::size_t s = 0, done = 0; done < size; base += sources[s++].get().size) {
    const partition& source = sources[s].get();
    const double* in = source.data.get();
    if (offset + 1 + done >= base + source.size) continue; // begins behind it
    const std::size_t first = offset + 1 + done - base, end = std::min(source.size, first + size - done);
    double* out = next.data.get() + done;
    done += end - first;
    for (std::size_t i = first; i < end;) {
      const bool at_left = i == 0, at_right = i + 1 == source.size;
      if (at_left || at_right) {
        const double left = at_left ? sources[s - 1].get().data[sources[s - 1].get().size - 1] : in[i - 1];
        heat(*out++, left, in[i], at_right ? sources[s + 1].get().data[0] : in[i + 1]);
        ++i;
      } else {
        const std::size_t inner = std::min(end, source.size - 1) - i;
        advance_row(in + i, out, inner);
        out += inner;
        i += inner;
      }
    }
  }
  return next;
}

void faithful_ring::run_steps(std::size_t steps, treadle::grain_tuner* tuner) {
  const auto advance = [](std::size_t, std::size_t, const future_partition& left, const future_partition& middle,
                          const future_partition& right) { return heat_part(left.get(), middle.get(), right.get()); };
  flow<partition> rounds(m_parts, m_now);
  std::vector<std::size_t> asked; // the partition of every round
  if (tuner) tuner->resume();
  for (std::size_t round = 0, counted = 0; round < steps; ++round) {
    if (!tuner) {
      rounds.step(advance);
      continue;
    }
    const auto count_to = [&](std::size_t end) { // changes of partitions among them: of no grain
      const std::size_t grain = asked[counted] == asked[end - 1] ? asked[counted] : 0;
      tuner->done(static_cast<double>(points()) * static_cast<double>(end - std::exchange(counted, end)), grain);
    };
    // Rounds that overlap end at about the same time: a few of them say nothing.
    const auto done = rounds.await_room();
    if (done && *done + 1 >= counted + rounds.k_rounds_ahead) count_to(*done + 1);
    asked.push_back(tuner->grain());
    if (std::exchange(m_asked, asked.back()) == asked.back())
      rounds.step(advance);
    else
      rounds.step_into(partitions(points(), m_asked), heat_across);
    constexpr std::size_t k_surely_useful = 10'000; // this many points take longer than a task costs
    if (tuner->windows() > 0 || m_asked >= k_surely_useful) continue;
    rounds.wait(); // nothing is known yet; a bad start should not be the start of many rounds
    count_to(round + 1);
  }
  rounds.wait();
}

std::vector<double> faithful_ring::values() const {
  std::vector<double> all;
  all.reserve(points());
  for (const future_partition& part : m_now) {
    const partition& values = part.get();
    all.insert(all.end(), values.data.get(), values.data.get() + values.size);
  }
  return all;
}

} // namespace stencil
