#pragma once

namespace bench {

/// Calls `body` on one thread of an OpenMP team whose other threads wait for its tasks.
template <class Body>
void in_omp(unsigned workers, Body body) {
#pragma omp parallel num_threads(static_cast<int>(workers))
#pragma omp single
  body();
}

} // namespace bench
