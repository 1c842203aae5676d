#include "task/counters/profiled_run.hpp"

#include "base/file_text.hpp"

#include <treadle/detail/atomic.hpp>

#include <cstdio>
#include <exception>

namespace treadle::detail {

namespace {
constinit atomic<std::uint64_t> runs{0};
} // namespace

profiled_run::profiled_run(const std::string& file) : m_file(file), m_run(runs.fetch_add(1, order::relaxed) + 1) {}

profiled_run::~profiled_run() {
  try {
    save_profile(m_profile.rows(), m_profile.pools(), own_file(m_file, m_run));
  } catch (const std::exception& e) {
    std::fprintf(stderr, "treadle: %s\n", e.what());
  }
}

} // namespace treadle::detail
