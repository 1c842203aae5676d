#pragma once

#include "observe/trace/perfetto_file.hpp"
#include "observe/trace/record_queue.hpp"

#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <unordered_map>

namespace treadle::detail {

/// A trace on its way to a file. Threads put records into queues of their own; one thread empties them, brings their
/// records into the order of time, and writes.
class trace_stream final : public trace_sink {
 public:
  trace_stream(const std::string& file, std::size_t records_per_thread);
  ~trace_stream();

  /// errno of the file, or 0. Any thread, several times.
  int stop();
  /// False in the child of a fork, which has neither its threads nor its file.
  bool is_own() const noexcept { return getpid() == m_owner; }
  std::uint64_t records() const noexcept { return m_records.load(order::relaxed); }
  std::uint64_t dropped() const noexcept { return m_dropped.load(order::relaxed); }

 private:
  struct open_task {
    std::uint64_t task;
    std::string_view name;
  };
  /// What a thread is in, as far as its records have been written.
  struct lane {
    std::unique_ptr<record_queue> queue; // null when the thread has ended
    std::vector<open_task> running;      // the innermost last
    bool is_parked = false;
  };
  struct timed {
    trace_record record;
    unsigned ring;
  };

  void add(const event_record& record, int worker, trace_slot& here) noexcept override;
  void thread_ends(trace_slot& here) noexcept override { static_cast<record_queue*>(here.data)->close(); }
  record_queue* new_queue(int worker, trace_slot& here) noexcept;
  void run();
  void take_all();
  void write_until(std::int64_t ticks);
  void write(unsigned ring, const trace_record& record);
  std::int64_t ns_of(std::int64_t ticks) noexcept;
  void write_parcel(unsigned ring, std::int64_t ns, const event_record& what);
  void write_moment(unsigned ring, std::int64_t ns, const event_record& what);
  std::uint64_t flow_of(std::uint64_t task) const noexcept;

  const std::size_t m_records_per_thread;
  const pid_t m_owner;
  const std::uint64_t m_process; // of the program
  atomic<std::uint64_t> m_records{0}, m_dropped{0};
  atomic<bool> m_gives_up{false}; // nobody empties the queues any more

  std::mutex m_lock;                                  // of the next, and of waiting for the end
  std::vector<std::unique_ptr<record_queue>> m_added; // since the writing thread has looked
  std::condition_variable m_ending;
  bool m_ends = false;

  // Of the writing thread
  std::optional<perfetto_file> m_file;
  int m_error = 0;
  std::vector<lane> m_lanes;                                             // as the threads of the file
  std::vector<timed> m_taken;                                            // not written yet
  std::unordered_map<std::uint64_t, std::vector<open_task>> m_suspended; // stacks, by their innermost task
  std::unordered_map<std::uint64_t, std::string_view> m_created;         // and not started
  std::int64_t m_anchor_ticks = 0, m_anchor_ns = 0, m_last_ns = 0;       // of the latest look, and what was written
  std::mutex m_stopping;
  std::thread m_writer;
};

} // namespace treadle::detail
