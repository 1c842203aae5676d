#include "sim/graphs/graphs.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace treadle::sim {
namespace {

class merge_sort_builder {
 public:
  explicit merge_sort_builder(const merge_sort_parameters& p) : m_p(p) {}

  int sort_of(std::int64_t n, int parent) {
    if (n <= m_p.cutoff) {
      const double compares = static_cast<double>(n) * std::log2(std::max<double>(2, static_cast<double>(n)));
      return m_b.task("sort", m_p.compare_ns * std::llround(compares), parent);
    }
    const int node = m_b.task("sort", 0, parent);
    const int left = sort_of(n / 2, node), right = sort_of(n - n / 2, node);
    m_b.wait(node, left, 0);
    m_b.wait(node, right, 0);
    m_b.wait(node, m_b.task("merge", m_p.compare_ns * n, node), 0);
    return node;
  }
  detail::recorded_graph take() && { return std::move(m_b).take(); }

 private:
  merge_sort_parameters m_p;
  builder m_b;
};

class fib_builder {
 public:
  explicit fib_builder(const fib_parameters& p) : m_p(p) {}

  int fib_of(std::int64_t n, builder::sort how, int parent, std::int64_t at_ns) {
    if (n < std::max<std::int64_t>(m_p.cutoff, 2)) return m_b.add(how, "fib", m_p.call_ns * calls(n), parent, at_ns);
    const int node = m_b.add(how, "fib", m_p.call_ns, parent, at_ns);
    const int other = fib_of(n - 1, builder::sort::task, node, 0);
    fib_of(n - 2, builder::sort::call, node, 0);
    m_b.wait(node, other, 0);
    return node;
  }
  detail::recorded_graph take() && { return std::move(m_b).take(); }

 private:
  /// Of the serial program.
  static std::int64_t calls(std::int64_t n) {
    std::int64_t a = 1, b = 1; // of fib(0) and fib(1)
    for (std::int64_t i = 1; i < n; ++i) a = std::exchange(b, a + b + 1);
    return n < 1 ? 1 : b;
  }

  fib_parameters m_p;
  builder m_b;
};

} // namespace

detail::recorded_graph merge_sort(const merge_sort_parameters& p) {
  merge_sort_builder made(p);
  made.sort_of(p.n, -1);
  return std::move(made).take();
}

detail::recorded_graph fib(const fib_parameters& p) {
  fib_builder made(p);
  made.fib_of(p.n, builder::sort::task, -1, 0);
  return std::move(made).take();
}

} // namespace treadle::sim
