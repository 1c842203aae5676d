#include "adapt/present_workers.hpp"

#include "task/counters/thread_counters.hpp"

#include <treadle/observe/counters.hpp>

namespace treadle::detail {

unsigned present_workers() {
  publish_thread_counters();
  const double workers = counters::group({"/runtime/count/workers"}).read().front().value; // NaN: no runtime
  return workers > 0 ? static_cast<unsigned>(workers) : 0;
}

} // namespace treadle::detail
