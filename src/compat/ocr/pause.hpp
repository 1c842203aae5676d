#pragma once

#include <cstdint>

namespace treadle::ocr {

/// Counts an EDT that begins to run, after it has waited for the end of a pause.
void begin_running() noexcept;
/// It ends, or suspends.
void end_running() noexcept;

/// While an EDT runs.
class running_mark {
 public:
  running_mark() noexcept { begin_running(); }
  ~running_mark() { end_running(); }
  running_mark(const running_mark&) = delete;
  running_mark& operator=(const running_mark&) = delete;
};

/// Ends a pause, because the program ends.
void end_pause() noexcept;

} // namespace treadle::ocr
