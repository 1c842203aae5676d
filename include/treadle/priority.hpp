#pragma once

namespace treadle {

/// Which of the queued tasks go first. Nothing that runs is interrupted. Tasks of one priority that come through an
/// executor start in the order in which they were queued; a steady supply of urgent ones keeps the others waiting.
enum class priority : unsigned char {
  low,     ///< only when a worker would have nothing else to do
  normal,  ///< as async() without an executor
  high,    ///< before everything that is normal, also before what a worker has queued for itself
  critical ///< before everything
};

} // namespace treadle
