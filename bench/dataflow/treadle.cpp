#include "dataflow/config.hpp"
#include "stencil/flow.hpp"

#include <treadle/treadle.hpp>

#include <utility>

using namespace dataflow_bench;

namespace {

using part = treadle::shared_future<double>;

bool ready3() {
  part a = treadle::make_ready_future(1.0), b = treadle::make_ready_future(2.0), c = treadle::make_ready_future(3.0);
  for (long i = 0; i < k_nodes; ++i) {
    part next = treadle::dataflow(
        [](const part& x, const part& y, const part& z) { return combine(x.get(), y.get(), z.get()); }, a, b, c);
    next.wait();
    a = std::move(b);
    b = std::move(c);
    c = std::move(next);
  }
  return c.get() == run_chain_serially(k_nodes);
}

/// `step(flow)` adds a round.
template <class Step>
std::vector<double> run_ring(const ring& r, const Step& step) {
  stencil::partitions parts(k_width, 1);
  std::vector<part> now;
  for (std::size_t i = 0; i < k_width; ++i) now.push_back(treadle::make_ready_future(initial_value(i)));
  {
    stencil::flow<double> rounds(parts, now);
    for (std::size_t i = 0; i < r.rounds; ++i) step(rounds);
    rounds.wait();
  }
  std::vector<double> values;
  for (const part& one : now) values.push_back(one.get());
  return values;
}

std::vector<double> ring_of_three(const ring& r) {
  const auto make = [&r](std::size_t, std::size_t, const part& left, const part& middle, const part& right) {
    return work(combine(left.get(), middle.get(), right.get()), r.iterations);
  };
  return run_ring(r, [&](stencil::flow<double>& rounds) { rounds.step(make); });
}

std::vector<double> ring_of_vectors(const ring& r) {
  const stencil::partitions same(k_width, 1);
  const auto make = [&r](const std::vector<part>& read, std::size_t, std::size_t) {
    return work(combine(read[0].get(), read[1].get(), read[2].get()), r.iterations);
  };
  return run_ring(r, [&](stencil::flow<double>& rounds) { rounds.step_into(same, make); });
}

} // namespace

int main(int argc, char** argv) {
  const unsigned workers = bench::workers_from(argc, argv);
  treadle::runtime runtime({.workers = workers});
  treadle::async([&] {
    bench::report_repeated("dataflow/ready3", k_nodes, ready3);
    report_metg("dataflow/metg_ring", workers, ring_of_three);
    report_metg("dataflow/metg_ring_vector", workers, ring_of_vectors);
  }).get();
}
