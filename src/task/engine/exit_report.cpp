#include "task/engine/exit_report.hpp"

#include <treadle/detail/atomic.hpp>
#include <treadle/runtime.hpp>

#include <cstdio>
#include <cstring>

namespace treadle {
namespace {

void write_to_stderr(const char* message) {
  const std::size_t length = std::strlen(message);
  std::fprintf(stderr, length == 0 || message[length - 1] != '\n' ? "%s\n" : "%s", message);
}

constinit detail::atomic<exit_report> g_report{&write_to_stderr};

} // namespace

exit_report set_exit_report(exit_report report) noexcept {
  return g_report.exchange(report, detail::order::acq_rel); // what the function uses was made before
}

void detail::report_at_exit(const std::string& message) noexcept {
  if (const exit_report report = g_report.load(order::acquire)) report(message.c_str());
}

} // namespace treadle
