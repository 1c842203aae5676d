#include "seismic/wave_tasks.hpp"

#include <treadle/dataflow.hpp>
#include <treadle/future.hpp>
#include <treadle/latch.hpp>
#include <treadle/observe/programs.hpp>

#include <atomic>
#include <optional>
#include <vector>

namespace seismic {
namespace {

/// The edges of a tile after a step, for its neighbours; the tile itself has its next step in the same memory.
using edges = std::array<std::vector<double>, k_edges>;
using done = treadle::shared_future<edges>;

constexpr std::size_t k_steps_ahead = 8; // that may have tasks which have not ended, so that memory is bounded
constexpr std::size_t k_report = 64;     // tasks from one report of progress to the next

edges edges_of(const plane& p, const double* numbers, std::size_t steps_done) {
  edges found;
  for (const edge e : k_every_edge) {
    found[e].resize(p.side);
    copy_edge(p, numbers, steps_done, e, found[e].data());
  }
  return found;
}

} // namespace

double run_tasks(const plane& p) {
  std::vector<std::vector<double>> tiles(p.count(), std::vector<double>(p.numbers()));
  std::vector<done> now, next;
  std::atomic<std::size_t> finished{0};
  std::optional<treadle::latch> open[k_steps_ahead];
  for (std::size_t i = 0; i < p.count(); ++i) {
    fill(p, i, tiles[i].data());
    now.push_back(treadle::make_ready_future(edges_of(p, tiles[i].data(), 0)).share());
  }
  const done nothing = treadle::make_ready_future(edges()).share();
  for (std::size_t t = 0; t < p.steps; ++t) {
    std::optional<treadle::latch>& step = open[t % k_steps_ahead];
    if (step) step->wait();
    step.emplace(static_cast<std::ptrdiff_t>(p.count()));
    next.clear();
    for (std::size_t i = 0; i < p.count(); ++i) {
      const auto of = [&](edge e) {
        const std::size_t other = neighbour(p, i, e);
        return other == p.count() ? nothing : now[other];
      };
      next.push_back(treadle::dataflow(
          [&, t, i](const done&, const done& above, const done& below, const done& left, const done& right) {
            const auto beyond = [](const done& tile, edge e) {
              const std::vector<double>& points = tile.get()[opposite(e)];
              return points.empty() ? nullptr : points.data();
            };
            advance(p, i, tiles[i].data(), t,
                    {beyond(above, north), beyond(below, south), beyond(left, west), beyond(right, east)});
            edges found = edges_of(p, tiles[i].data(), t + 1);
            const std::size_t n = finished.fetch_add(1, std::memory_order_relaxed) + 1;
            if (n % k_report == 0) treadle::report_progress(static_cast<double>(n));
            step->count_down();
            return found;
          },
          now[i], of(north), of(south), of(west), of(east)));
    }
    now.swap(next);
  }
  double sum = 0;
  for (std::size_t i = 0; i < p.count(); ++i) {
    now[i].wait();
    sum += sum_of_squares(p, tiles[i].data(), p.steps);
  }
  return sum;
}

} // namespace seismic
