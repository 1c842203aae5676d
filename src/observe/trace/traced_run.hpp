#pragma once

#include <treadle/observe/streamed_trace.hpp>
#include <treadle/observe/trace.hpp>

#include <optional>

namespace treadle::detail {

/// A trace from here to its end, which is written to files then, or to one .pftrace meanwhile. What goes wrong with
/// that is said on stderr, and so is what was written.
class traced_run {
 public:
  /// Throws std::invalid_argument when the format of a file is unknown or it cannot be written. Does nothing while
  /// there is another trace.
  traced_run(const std::vector<std::string>& files, std::size_t records_per_thread);
  ~traced_run();
  /// Writes nothing.
  void discard() noexcept;

 private:
  std::vector<std::string> m_files;
  std::uint64_t m_run = 0; ///< which of this process
  std::optional<trace> m_trace;
  std::optional<streamed_trace> m_stream;
};

} // namespace treadle::detail
