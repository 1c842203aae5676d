#include "observe/trace/traced_run.hpp"

#include "base/file_text.hpp"
#include "observe/trace/trace_analysis.hpp"

#include <algorithm>
#include <cstdio>
#include <stdexcept>
#include <system_error>

namespace treadle::detail {
traced_run::traced_run(const std::vector<std::string>& files, std::size_t records_per_thread) {
  for (const std::string& file : files) check_trace_file(file);
  const bool is_streamed = std::any_of(files.begin(), files.end(), is_streamed_file);
  if (is_streamed && files.size() > 1)
    throw std::invalid_argument(
        "trace: a .pftrace is written while the program runs, so it is the only file of a trace");
  static constinit atomic<std::uint64_t> runs{0};
  m_run = runs.fetch_add(1, order::relaxed) + 1;
  const bool with_forks = std::any_of(files.begin(), files.end(), [](const auto& f) { return f.ends_with(".tasks"); });
  try {
    if (is_streamed)
      m_stream.emplace(own_file(files[0], m_run),
                       records_per_thread == 0 ? streamed_trace::default_records : records_per_thread);
    else
      m_trace.emplace(records_per_thread == 0 ? trace::default_records : records_per_thread, with_forks);
  } catch (const std::logic_error& e) {
    std::fprintf(stderr, "treadle: no trace of this runtime alone: %s\n", e.what());
    return;
  } catch (const std::system_error& e) { // as of a trace that cannot be saved
    std::fprintf(stderr, "treadle: %s\n", e.what());
    return;
  }
  m_files = files;
}

void traced_run::discard() noexcept {
  if (m_stream && !m_files.empty()) std::remove(own_file(m_files[0], m_run).c_str());
  m_files.clear();
}

traced_run::~traced_run() {
  for (const std::string& named : m_files) {
    const std::string file = own_file(named, m_run);
    try {
      if (m_stream)
        m_stream->stop();
      else
        m_trace->save(file);
      std::fprintf(stderr, "treadle: trace of %llu records in '%s'",
                   static_cast<unsigned long long>(m_stream ? m_stream->records() : m_trace->records()), file.c_str());
      if (const auto dropped = static_cast<unsigned long long>(m_stream ? 0 : m_trace->dropped()); dropped != 0)
        std::fprintf(stderr, "; %llu older ones were dropped, --treadle:trace-records makes more room", dropped);
      std::fputc('\n', stderr);
    } catch (const std::exception& e) {
      std::fprintf(stderr, "treadle: %s\n", e.what());
    }
  }
}

} // namespace treadle::detail
