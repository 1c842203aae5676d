#pragma once

#include <tbb/global_control.h>
#include <tbb/task_arena.h>

namespace bench {

/// Calls `body` in an arena of oneTBB with this many threads, the calling one included.
template <class Body>
void in_tbb(unsigned workers, Body body) {
  tbb::global_control limit(tbb::global_control::max_allowed_parallelism, workers);
  tbb::task_arena arena(static_cast<int>(workers));
  arena.execute(body);
}

} // namespace bench
