#include "dataflow/config.hpp"
#include "in_omp.hpp"

using namespace dataflow_bench;

namespace {

bool ready3() {
  double values[4] = {1, 2, 3, 0};
  for (long i = 0; i < k_nodes; ++i) {
    double *const a = values + i % 4, *const b = values + (i + 1) % 4, *const c = values + (i + 2) % 4,
                  *const next = values + (i + 3) % 4;
#pragma omp task depend(in : a[0], b[0], c[0]) depend(out : next[0]) firstprivate(a, b, c, next)
    *next = combine(*a, *b, *c);
#pragma omp taskwait
  }
  return values[(k_nodes + 2) % 4] == run_chain_serially(k_nodes);
}

/// A place for every value, so that no task waits for those who read an older one.
class history {
 public:
  explicit history(std::size_t rounds) : m_values((rounds + 1) * k_width) {
    for (std::size_t i = 0; i < k_width; ++i) m_values[i] = initial_value(i);
  }
  double* round(std::size_t r) { return m_values.data() + r * k_width; }
  std::vector<double> last() const { return {m_values.end() - static_cast<std::ptrdiff_t>(k_width), m_values.end()}; }

 private:
  std::vector<double> m_values;
};

std::vector<double> ring_of_three(const ring& r) {
  history all(r.rounds);
  const long iterations = r.iterations;
  for (std::size_t round = 0; round < r.rounds; ++round) {
    double *const now = all.round(round), *const next = all.round(round + 1);
    for (std::size_t i = 0; i < k_width; ++i) {
      double *const left = now + before(i), *const middle = now + i, *const right = now + after(i),
                    *const made = next + i;
#pragma omp task depend(in : left[0], middle[0], right[0]) depend(out : made[0])                                       \
    firstprivate(left, middle, right, made, iterations)
      *made = work(combine(*left, *middle, *right), iterations);
    }
  }
#pragma omp taskwait
  return all.last();
}

std::vector<double> ring_of_sequences(const ring& r) {
  history all(r.rounds);
  const long iterations = r.iterations;
  for (std::size_t round = 0; round < r.rounds; ++round) {
    double *const now = all.round(round), *const next = all.round(round + 1);
    for (std::size_t i = 0; i < k_width; ++i) {
      double* const made = next + i;
      double* read[] = {now + before(i), now + i, now + after(i)};
      int count = 3;
#pragma omp task depend(iterator(int j = 0 : count), in : read[j][0]) depend(out : made[0])                            \
    firstprivate(read, made, iterations)
      *made = work(combine(*read[0], *read[1], *read[2]), iterations);
    }
  }
#pragma omp taskwait
  return all.last();
}

} // namespace

int main(int argc, char** argv) {
  const unsigned workers = bench::workers_from(argc, argv);
  bench::in_omp(workers, [&] {
    bench::report_repeated("dataflow/ready3", k_nodes, ready3);
    report_metg("dataflow/metg_ring", workers, ring_of_three);
    report_metg("dataflow/metg_ring_vector", workers, ring_of_sequences);
  });
}
