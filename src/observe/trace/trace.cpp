#include <treadle/observe/trace.hpp>

#include "base/file_text.hpp"
#include "observe/knob_list.hpp"
#include "observe/profile_text.hpp"
#include "observe/trace/trace_analysis.hpp"

#include <stdexcept>

#include <unistd.h>

namespace treadle {
namespace {

bool is_format(const std::string& format) {
  return format == "json" || format == "dot" || format == "txt" || format == "csv" || format == "tasks";
}

[[noreturn]] void refuse_format(const std::string& what) {
  throw std::invalid_argument("trace: no format for '" + what +
                              "'; known: json, dot, txt, csv, tasks; pftrace is written while a program runs");
}

/// That of the file's extension.
std::string format_of(const std::string& file) {
  const std::size_t dot = file.rfind('.');
  const bool none = dot == file.npos || file.find('/', dot) != file.npos;
  const std::string format = none ? "" : file.substr(dot + 1);
  if (!is_format(format)) refuse_format(file);
  return format;
}

} // namespace

bool detail::is_streamed_file(const std::string& file) { return file.ends_with(".pftrace"); }

void detail::check_trace_file(const std::string& file) {
  if (!is_streamed_file(file)) static_cast<void>(format_of(file));
  check_folder(file, "trace");
}

trace::trace(std::size_t records_per_thread, bool with_forks)
    : m_session(std::make_unique<detail::trace_session>(records_per_thread, with_forks)) {
  detail::trace_knobs();
}
trace::~trace() = default;

void trace::stop() noexcept { m_session->stop(); }

std::string trace::text(const std::string& format) {
  stop();
  if (!is_format(format)) refuse_format(format);
  const detail::trace_analysis found(*m_session);
  if (format == "json") return detail::chrome_trace(*m_session, found);
  if (format == "dot") return detail::task_graph(found);
  if (format == "txt") return detail::task_tree(*m_session, found);
  if (format == "tasks") return detail::recorded_tasks(*m_session, found);
  return detail::profile_csv(found.profile());
}

void trace::save(const std::string& file) { detail::write_whole(file, text(format_of(file)), "trace"); }

std::vector<task_profile> trace::profile() {
  stop();
  return detail::trace_analysis(*m_session).profile();
}

std::uint64_t trace::records() {
  stop();
  return m_session->records();
}
std::uint64_t trace::dropped() {
  stop();
  return m_session->dropped();
}

} // namespace treadle
