#pragma once

namespace treadle::decide {

/// What a task costs besides its work, and who could take it.
struct spawn_cost {
  double ns = 50; ///< made, and run by the one who waits for it
  unsigned workers = 1;

  double brief_ns() const noexcept { return 2 * ns; }    ///< less is not worth a task even for an idle worker
  double fitting_ns() const noexcept { return 19 * ns; } ///< of which making the task is 5 %
  friend bool operator==(const spawn_cost&, const spawn_cost&) = default;
};

} // namespace treadle::decide
