#include "observe/trace/traced_run.hpp"

#include "base/file_text.hpp"
#include "observe/trace/trace_analysis.hpp"

#include <algorithm>
#include <cstdio>
#include <stdexcept>

namespace treadle::detail {
traced_run::traced_run(const std::vector<std::string>& files, std::size_t records_per_thread) {
  for (const std::string& file : files) check_trace_file(file);
  const bool with_forks = std::any_of(files.begin(), files.end(), [](const auto& f) { return f.ends_with(".tasks"); });
  try {
    m_trace.emplace(records_per_thread == 0 ? trace::default_records : records_per_thread, with_forks);
  } catch (const std::logic_error& e) {
    std::fprintf(stderr, "treadle: no trace of this runtime alone: %s\n", e.what());
    return;
  }
  static constinit atomic<std::uint64_t> runs{0};
  m_run = runs.fetch_add(1, order::relaxed) + 1;
  m_files = files;
}

traced_run::~traced_run() {
  for (const std::string& named : m_files) {
    const std::string file = own_file(named, m_run);
    try {
      m_trace->save(file);
      std::fprintf(stderr, "treadle: trace of %llu records in '%s'",
                   static_cast<unsigned long long>(m_trace->records()), file.c_str());
      if (const auto dropped = static_cast<unsigned long long>(m_trace->dropped()); dropped != 0)
        std::fprintf(stderr, "; %llu older ones were dropped, --treadle:trace-records makes more room", dropped);
      std::fputc('\n', stderr);
    } catch (const std::exception& e) {
      std::fprintf(stderr, "treadle: %s\n", e.what());
    }
  }
}

} // namespace treadle::detail
