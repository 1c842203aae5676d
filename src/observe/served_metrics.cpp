#include "observe/served_metrics.hpp"

#include "base/file_text.hpp"
#include "base/fork.hpp"

#include <treadle/detail/atomic.hpp>
#include <treadle/observe/counters.hpp>

namespace treadle::detail {

served_metrics::served_metrics(const std::string& file) {
  static const std::uint32_t generation = fork_generation(); // of the process that serves first
  static constinit atomic<std::uint64_t> runs{0};
  if (generation != fork_generation()) return;
  const std::uint64_t run = runs.fetch_add(1, order::relaxed) + 1;
  m_socket.emplace(own_file(file, run), [] { return counters::open_metrics(); });
}

} // namespace treadle::detail
