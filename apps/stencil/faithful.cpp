#include "stencil/faithful.hpp"

#include "stencil/flow.hpp"
#include "stencil/heat.hpp"
#include "stencil/kernel.hpp"

#include <treadle/async.hpp>

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
