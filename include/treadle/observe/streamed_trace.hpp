#pragma once

#include <treadle/observe/trace.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace treadle {

namespace detail {
class trace_stream;
}

/// What treadle::trace records, written to a file while the program runs, in Perfetto's own format
/// (https://ui.perfetto.dev): what each worker executed when, with arrows from where a task was created. Nothing is
/// lost and memory does not grow, however long the program runs: a thread of its own writes, some millions of records
/// in a second, and who records more than that waits for it. A record takes 17 bytes of the file on average.
///
///     treadle::streamed_trace trace("work.pftrace");
///     work();
class streamed_trace {
 public:
  static constexpr std::size_t default_records = std::size_t{1} << 16;

  /// Room for this many records per thread on their way, rounded up to a power of two, of 48 bytes, which are used as
  /// they are needed. Throws std::logic_error when there is a trace already, std::invalid_argument when the name does
  /// not end in .pftrace or its folder cannot be written to, and std::system_error when the file cannot be made.
  explicit streamed_trace(const std::string& file, std::size_t records_per_thread = default_records);
  ~streamed_trace();
  streamed_trace(const streamed_trace&) = delete;
  streamed_trace& operator=(const streamed_trace&) = delete;

  /// Ends recording, and waits until all is in the file. Throws std::system_error, once, when there was no room for
  /// all: the file then holds what came before, and the program has run on undisturbed.
  void stop();

  std::uint64_t records() const noexcept; ///< that are in the file, or on their way
  std::uint64_t dropped() const noexcept; ///< since the file could not be written any more

 private:
  std::unique_ptr<detail::trace_stream> m_stream;
};

} // namespace treadle
