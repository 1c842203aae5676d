#pragma once

#include "compat/ocr/api.hpp"

#include <treadle/detail/atomic.hpp>

#include <string>
#include <vector>

namespace treadle::ocr {

struct run_options {
  unsigned workers = 0;        ///< 0: as the runtime that there is, or its options say
  bool is_checked = false;     ///< reports are kept, those of leaks too; otherwise as TREADLE_OCR_CHECK says
  bool prints_reports = false; ///< those that nobody keeps, and kept ones at the end, go to stderr
};

struct outcome {
  int code = 0; ///< of ocrAbort(); 1 when nobody has called ocrShutdown() and nothing is left to do
  std::vector<std::string> reports;
};

/// One OCR program from its first EDT to the end: calls `main` with the arguments as an EDT and returns when the
/// program has called ocrShutdown() or ocrAbort() and everything has come to rest, or when nothing can happen any more.
/// One at a time; blocks; from outside of tasks.
outcome run(ocrEdt_t main, int argc, const char* const* argv, const run_options& options = {});

/// The two halves of the same for a program that has its own main(): objects may be made in between, by any thread.
void begin_program(const run_options& options);
enum class ends { when_stopped_or_idle, when_idle, when_stopped };
outcome end_program(ends when);
bool is_begun() noexcept;

/// Makes EDTs that do not run yet never run.
void stop(int code) noexcept;

/// Where a program is. Written while nothing runs, but for `stopping`.
struct program_state {
  detail::atomic<std::uint32_t> stopping{0};
  detail::atomic<std::uint32_t> was_stopped{0};
  detail::atomic<std::int32_t> code{0};
  bool is_checking = false, prints = false;
  bool passes_blocks = false; ///< events pass blocks on whether or not they were made to
};
extern program_state state;

inline bool is_stopping() noexcept { return state.stopping.load(detail::order::relaxed) != 0; } // relaxed: a hint
/// By somebody who has just said in a sequentially consistent way that it waits: stop() sees that, or this sees stop().
inline bool is_stopping_now() noexcept { return state.stopping.load(detail::order::seq_cst) != 0; }
inline bool is_checking() noexcept { return TREADLE_UNLIKELY(state.is_checking); }
inline bool prints_reports() noexcept { return state.prints; }

} // namespace treadle::ocr
