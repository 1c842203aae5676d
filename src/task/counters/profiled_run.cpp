#include "task/counters/profiled_run.hpp"

#include "observe/profile_text.hpp"

#include <cstdio>
#include <exception>

namespace treadle::detail {

profiled_run::profiled_run(const std::string& file) : m_file(file) { check_profile_file(file); }

profiled_run::~profiled_run() {
  try {
    save_profile(m_profile.rows(), m_file);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "treadle: %s\n", e.what());
  }
}

} // namespace treadle::detail
