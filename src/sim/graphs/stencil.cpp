#include "sim/graphs/graphs.hpp"

namespace treadle::sim {

detail::recorded_graph stencil(const stencil_parameters& p) {
  builder b;
  const int program = b.task("stencil", 0);
  const auto width = static_cast<std::size_t>(p.width);
  std::vector<int> before, now(width, -1);
  for (std::int64_t step = 0; step < p.steps; ++step) {
    before = now;
    for (std::size_t i = 0; i < width; ++i) {
      const int cell = now[i] = b.task("cell", p.cell_ns, program);
      b[cell].bytes = p.bytes;
      b.input(cell, before[(i + width - 1) % width]);
      if (width > 1) b.input(cell, before[i]);
      if (width > 2) b.input(cell, before[(i + 1) % width]);
    }
  }
  for (const int cell : now) b.wait(program, cell, 0);
  return std::move(b).take();
}

} // namespace treadle::sim
