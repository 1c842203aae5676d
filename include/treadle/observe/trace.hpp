#pragma once

#include <treadle/detail/config.hpp>
#include <treadle/observe/profile.hpp>

#include <memory>
#include <string>
#include <vector>

namespace treadle {

namespace detail {
class trace_session;
}

/// Records what the runtimes of this process do, from its construction to stop(). Each thread writes to a ring of its
/// own: when one is full its oldest records are dropped, which is counted. About 10 ns per record: 60 for a task
/// that is waited for, and 10 more for each input of a node.
///
///     treadle::trace trace;
///     work();
///     trace.save("work.json"); // for https://ui.perfetto.dev or chrome://tracing
class trace {
 public:
  static constexpr std::size_t default_records = std::size_t{1} << 18;

  /// Room for this many records per thread, rounded up to a power of two, of 48 bytes; a task makes three or more.
  /// Throws std::logic_error when there is a trace already.
  ///
  /// `with_forks`: all forks and loops of the process make tasks of what they could give away, whether somebody takes
  /// it or not, so that predictions know of it. Costs some 100 ns for each fork and for every 2 us of a loop. A trace
  /// by options or in Python does so when it is to be saved as .tasks.
  explicit trace(std::size_t records_per_thread = default_records, bool with_forks = false);
  ~trace();
  trace(const trace&) = delete;
  trace& operator=(const trace&) = delete;

  /// Ends recording; the rest does so, too. Any thread.
  void stop() noexcept;

  /// Writes a file in the format of its extension: .json (Chrome's trace format, which Perfetto reads: what each worker
  /// executed when, with arrows from where a task was created), .dot (graph of which tasks created which), .txt (the
  /// same as a tree, and the profile), .csv (the profile), .tasks (who depends on whom and how long each took, for
  /// `treadle predict`). Throws std::invalid_argument for other extensions and
  /// std::system_error when the file cannot be written in full; then there is none.
  void save(const std::string& file);
  /// The same as text; `format` is the extension without its dot.
  std::string text(const std::string& format);

  /// By name, the longest `self` first; of all tasks, exact.
  std::vector<task_profile> profile();
  std::uint64_t records();
  /// Records that had no room.
  std::uint64_t dropped();

 private:
  std::unique_ptr<detail::trace_session> m_session;
};

} // namespace treadle
