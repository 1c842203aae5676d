// How a program ends, and what it tells those who look at it from outside.

#include "compat/ocr/program.hpp"
#include "compat/ocr/report.hpp"

#include <treadle/observe/agent.hpp>
#include <treadle/observe/programs.hpp>

#include <string>

using namespace treadle::ocr;

void ocrShutdown() { ocrAbort(0); }

void ocrAbort(u8 code) {
  if (is_checking() && is_stopping()) report({"ocrShutdown", OCR_EPERM, "called a second time"}, 0);
  stop(code);
}

u8 ocrProgressReport(u64 progress) {
  treadle::report_progress(static_cast<double>(progress));
  return 0;
}

u8 ocrApplicationGroup(u64 group) {
  treadle::core_wish wish;
  wish.group = std::to_string(group);
  treadle::wish_for_cores(wish);
  return 0;
}
