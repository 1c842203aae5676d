#include "observe/served_metrics.hpp"

#include "base/file_text.hpp"
#include "base/fork.hpp"

#include <treadle/detail/atomic.hpp>
#include <treadle/observe/counters.hpp>

#include <cstdio>
#include <stdexcept>
#include <system_error>

namespace treadle::detail {

served_metrics::served_metrics(const std::string& file) {
  if (!file.ends_with(".sock")) throw std::invalid_argument("metrics: expected FILE.sock, got '" + file + "'");
  if (fork_generation() != 0) return;
  static constinit atomic<std::uint64_t> runs{0};
  const std::string own = own_file(file, runs.fetch_add(1, order::relaxed) + 1);
  try {
    m_socket.emplace(own, [] { return counters::open_metrics(); });
  } catch (const std::system_error& e) {
    if (e.code() != std::errc::address_in_use) throw;
    std::fprintf(stderr, "treadle: another process serves its metrics on '%s'; this one serves none\n", own.c_str());
  }
}

} // namespace treadle::detail
