#include "observe/counter_printer.hpp"

#include "base/clock.hpp"
#include "base/csv.hpp"
#include "base/json.hpp"
#include "observe/emit.hpp"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <mutex>
#include <set>
#include <stdexcept>

namespace treadle::detail {
namespace {

/// Opens a file that this process has not written to yet anew, and others to go on with.
std::FILE* open_file(const std::string& name) {
  static std::mutex mutex;
  static auto& written = *new std::set<std::string>; // never destroyed, as runtimes may be started very late
  std::lock_guard guard(mutex);
  std::FILE* file = std::fopen(name.c_str(), written.insert(name).second ? "w" : "a");
  if (file) return file;
  const int error = errno;
  written.erase(name);
  throw std::invalid_argument("--treadle:print-counter-destination: cannot write '" + name +
                              "': " + std::strerror(error));
}

std::FILE* open_destination(const std::string& name) {
  if (name.empty() || name == "stdout") return stdout;
  if (name == "stderr") return stderr;
  if (name == "none") return nullptr;
  return open_file(name);
}

std::string with_unit(const std::string& name, const std::string& unit) {
  return unit.empty() ? name : name + " [" + unit + "]";
}

std::string seconds(std::int64_t ns) {
  char text[32];
  std::snprintf(text, sizeof text, "%.6f", static_cast<double>(ns) * 1e-9);
  return text;
}

std::string rounded(double value) {
  char text[32];
  std::snprintf(text, sizeof text, std::fabs(value) < 1e15 && value == std::floor(value) ? "%.0f" : "%.6g", value);
  return text;
}

} // namespace

void counter_printer::closing::operator()(std::FILE* file) const noexcept {
  if (file != stdout && file != stderr) std::fclose(file);
}

counter_printer::counter_printer(const options& wanted)
    : m_destination(wanted.destination),
      m_format(wanted.format),
      m_counters(wanted.patterns),
      m_start_ns(steady_now_ns()),
      m_file(open_destination(wanted.destination)) {
  if (!m_format.empty() && m_format != "text" && m_format != "csv" && m_format != "json")
    throw std::invalid_argument("runtime_options::print_counter_format: expected text, csv or json, got '" + m_format +
                                "'");
  periodic_action& action = *this;
  if (wanted.interval_ns > 0) m_periodic.emplace(action, wanted.interval_ns);
}

counter_printer::~counter_printer() {
  m_periodic.reset();
  act();
  if (m_error != 0)
    std::fprintf(stderr, "treadle: not all counters were written to '%s': %s\n", m_destination.c_str(),
                 std::strerror(m_error));
}

void counter_printer::act() noexcept {
  try {
    const auto readings = m_counters.read();
    if (is_wanted(event_kind::sample)) {
      for (const auto& one : readings)
        emit({.kind = event_kind::sample, .name = kept_for_traces(one.name), .value = one.value});
    }
    if (m_file) print(readings);
  } catch (const std::exception&) { // no memory: the next time perhaps
  }
}

void counter_printer::print(const std::vector<counters::reading>& readings) {
  const std::int64_t time_ns = steady_now_ns() - m_start_ns;
  const std::string text = m_format == "csv"    ? as_csv(time_ns, readings)
                           : m_format == "json" ? as_json(time_ns, readings)
                                                : as_text(time_ns, readings);
  m_printed = true;
  errno = 0;
  if ((std::fwrite(text.data(), 1, text.size(), m_file.get()) != text.size() || std::fflush(m_file.get()) != 0) &&
      m_error == 0)
    m_error = errno != 0 ? errno : EIO;
}

std::string counter_printer::as_text(std::int64_t time_ns, const std::vector<counters::reading>& readings) const {
  std::size_t width = 0;
  for (const auto& one : readings) width = std::max(width, one.name.size());
  std::string text = "counters after " + seconds(time_ns) + " s\n";
  for (const auto& one : readings) {
    const std::string value = !one.missing.empty()    ? "- (" + one.missing + ')'
                              : std::isnan(one.value) ? "-"
                                                      : rounded(one.value);
    text += "  " + one.name + std::string(width - one.name.size() + 2, ' ') + value;
    if (!one.unit.empty() && one.missing.empty()) text += ' ' + one.unit;
    for (std::size_t i = 0; i < one.ranges.size(); ++i) {
      if (one.ranges[i] > 0) text += "\n    " + std::to_string(i) + ": " + rounded(one.ranges[i]);
    }
    text += '\n';
  }
  return text;
}

std::string counter_printer::as_csv(std::int64_t time_ns, const std::vector<counters::reading>& readings) const {
  std::string text;
  if (!m_printed) {
    text = "time [s]";
    for (const auto& one : readings) text += ',' + csv_field(with_unit(one.name, one.unit));
    text += '\n';
  }
  text += seconds(time_ns);
  for (const auto& one : readings) text += ',' + (std::isnan(one.value) ? std::string() : json_number(one.value));
  return text + '\n';
}

std::string counter_printer::as_json(std::int64_t time_ns, const std::vector<counters::reading>& readings) const {
  std::string text = "{\"time_s\": " + seconds(time_ns) + ", \"counters\": {";
  for (const auto& one : readings) {
    if (&one != readings.data()) text += ", ";
    text += json_string(one.name) + ": ";
    if (one.ranges.empty()) {
      text += json_number(one.value);
      continue;
    }
    for (std::size_t i = 0; i < one.ranges.size(); ++i) text += (i == 0 ? "[" : ", ") + json_number(one.ranges[i]);
    text += ']';
  }
  return text + "}}\n";
}

std::string counter_table() {
  const auto all = counters::discover();
  std::size_t width = 0;
  for (const auto& one : all) width = std::max(width, one.name.size());
  std::string text = "counters\n";
  for (const auto& one : all) {
    text += "  " + one.name + std::string(width - one.name.size() + 2, ' ') + counters::to_string(one.kind);
    if (!one.unit.empty()) text += " [" + one.unit + "]";
    text += "\n      " + one.help + '\n';
  }
  return text + "  of a worker or a pool: {locality#0/worker-thread#N}, {locality#0/pool#NAME/worker-thread#N}, "
                "{locality#0/pool#NAME/total}; `#*` for all\n"
                "  /statistics{COUNTER}/average|stddev|median|min|max|rate|rolling_average|...@PERIOD_MS[,SAMPLES]\n"
                "  /papi/*, hardware counters, where PAPI and the kernel allow them\n"
                "  /arithmetics/add|subtract|multiply|divide|mean|variance|median|min|max|count@COUNTER[,COUNTER]...\n";
}

} // namespace treadle::detail
