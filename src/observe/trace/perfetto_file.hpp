#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace treadle::detail {

/// A trace in Perfetto's own format, written piece by piece: packets of track events with names that are written once.
/// Files of several processes on one machine may be put together by `cat`.
/// https://perfetto.dev/docs/reference/trace-packet-proto
class perfetto_file {
 public:
  /// Throws std::system_error when it cannot be made.
  explicit perfetto_file(std::string path);
  ~perfetto_file();
  perfetto_file(const perfetto_file&) = delete;
  perfetto_file& operator=(const perfetto_file&) = delete;

  /// Threads are numbered from 0 in the order of these calls.
  void add_thread(std::string_view name, std::int32_t thread);

  // Of that thread, at ns of the steady clock. `name` is one that lives for ever. `flow`: events of one number are
  // joined by arrows; 0: none.
  void begin_slice(unsigned thread, std::int64_t ns, std::string_view name, std::string_view category,
                   std::uint64_t flow = 0, bool ends_flow = false);
  void end_slice(unsigned thread, std::int64_t ns);
  void add_moment(unsigned thread, std::int64_t ns, std::string_view name, std::string_view category,
                  std::uint64_t flow = 0);
  void add_value(unsigned thread, std::int64_t ns, std::string_view name, double value);

  /// Writes what has come together so far, if it is much or `all`. After an error it writes no more, and the file ends
  /// with the last packet that had room.
  void flush(bool all);
  int error() const noexcept { return m_error; }         ///< errno; 0: none
  std::uint64_t lost() const noexcept { return m_lost; } ///< packets without room

 private:
  struct event;
  struct same_text { // by its address and length
    std::size_t operator()(std::string_view t) const noexcept { return std::hash<const char*>()(t.data()) ^ t.size(); }
    bool operator()(std::string_view a, std::string_view b) const noexcept {
      return a.data() == b.data() && a.size() == b.size();
    }
  };
  using numbers = std::unordered_map<std::string_view, std::uint64_t, same_text, same_text>;
  struct sequence {
    bool begun = false;
    numbers names, categories;
  };
  void add_event(unsigned thread, const event& what);
  void add_packet(); // m_packet
  std::uint64_t counter_track(std::string_view name);
  std::uint64_t track(std::uint64_t number) const noexcept;

  const std::string m_path;
  const int m_file;
  const unsigned m_process; // of the program
  std::vector<sequence> m_threads;
  std::unordered_map<std::string, std::uint64_t> m_counters; // tracks
  std::string m_bytes, m_packet;
  std::vector<std::size_t> m_ends; // of the packets in m_bytes
  std::uint64_t m_written = 0;     // bytes in the file
  int m_error = 0;
  std::uint64_t m_lost = 0;
};

} // namespace treadle::detail
