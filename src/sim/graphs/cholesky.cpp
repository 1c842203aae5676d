#include "sim/graphs/graphs.hpp"

namespace treadle::sim {

detail::recorded_graph cholesky(const cholesky_parameters& p) {
  builder b;
  const int program = b.task("cholesky", 0);
  std::vector<int> last(static_cast<std::size_t>(p.t * p.t), -1); // who wrote a tile last
  const auto tile = [&](std::int64_t row, std::int64_t column) -> int& {
    return last[static_cast<std::size_t>(row * p.t + column)];
  };
  const auto make = [&](std::string_view site, std::int64_t units, int& written, std::initializer_list<int> read) {
    const int node = b.task(site, units * p.unit_ns, program);
    for (const int input : read) b.input(node, input);
    b.input(node, written);
    written = node;
  };
  for (std::int64_t k = 0; k < p.t; ++k) {
    make("potrf", p.r, tile(k, k), {});
    for (std::int64_t i = k + 1; i < p.t; ++i) make("trsm", 3, tile(i, k), {tile(k, k)});
    for (std::int64_t i = k + 1; i < p.t; ++i) {
      make("syrk", 3, tile(i, i), {tile(i, k)});
      for (std::int64_t j = k + 1; j < i; ++j) make("gemm", 6, tile(i, j), {tile(i, k), tile(j, k)});
    }
  }
  b.wait(program, tile(p.t - 1, p.t - 1), 0);
  return std::move(b).take();
}

} // namespace treadle::sim
