#include "stencil/faithful.hpp"

#include "stencil/flow.hpp"
#include "stencil/heat.hpp"
#include "stencil/kernel.hpp"

#include <treadle/async.hpp>
#include <treadle/dataflow.hpp>

#include <algorithm>
#include <utility>

namespace stencil {

faithful_ring::faithful_ring(std::size_t points, std::size_t partition_points) : m_parts(points, partition_points) {
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
  return next;
}

void faithful_ring::run_steps(std::size_t steps) {
  flow_around(m_parts, steps, m_now,
              [](std::size_t, std::size_t, const future_partition& left, const future_partition& middle,
                 const future_partition& right) { return heat_part(left.get(), middle.get(), right.get()); });
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

void faithful_ring::run_step_into(std::size_t partition_points) {
  const partitions wanted(points(), partition_points);
  std::vector<future_partition> next;
  next.reserve(wanted.count());
  for (std::size_t j = 0; j < wanted.count(); ++j) {
    const std::size_t before = (wanted.begin(j) + points() - 1) % points(), size = wanted.size(j);
    std::size_t i = m_parts.index_of(before);
    const std::size_t offset = before - m_parts.begin(i);
    std::vector<future_partition> sources;
    for (std::size_t have = 0; have < offset + size + 2; i = m_parts.after(i)) {
      sources.push_back(m_now[i]);
      have += m_parts.size(i);
    }
    next.push_back(treadle::dataflow(
        [offset, size](const std::vector<future_partition>& read) { return heat_across(read, offset, size); },
        std::move(sources)));
  }
  for (const future_partition& part : next) part.get();
  m_now.swap(next);
  m_parts = wanted;
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
