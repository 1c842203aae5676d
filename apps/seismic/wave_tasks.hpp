#pragma once

#include "seismic/wave.hpp"

namespace seismic {

/// All steps of the plane, a task for each step of each tile, which begins as soon as the tile and its neighbours are
/// there: there is no barrier between steps. Returns what the tiles add up to. In a task; blocks. Reports the number of
/// tasks that are done as the program's progress.
double run_tasks(const plane& p);

} // namespace seismic
