#include "observe/trace/trace_stream.hpp"

#include "base/clock.hpp"
#include "base/file_text.hpp"
#include "base/process_in_program.hpp"
#include "observe/knob_list.hpp"
#include "observe/trace/trace_analysis.hpp"

#include <treadle/observe/streamed_trace.hpp>

#include <cerrno>
#include <chrono>
#include <stdexcept>
#include <system_error>
#include <utility>

#include <pthread.h>
#include <signal.h>
#include <unistd.h>

namespace treadle::detail {
namespace {
constexpr auto k_pause = std::chrono::milliseconds(2); // between two looks: a queue takes ten times as long to fill
}

trace_stream::trace_stream(const std::string& file, std::size_t records_per_thread)
    : m_records_per_thread(std::max<std::size_t>(records_per_thread, 2)),
      m_owner(getpid()),
      m_process(number_in_program()) {
  if (!set_trace_sink(this)) throw std::logic_error("there is a trace already; one at a time can record");
  try {
    m_file.emplace(file);
    sigset_t all, before; // signals are for other threads; and a file that becomes too large is an error
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    try {
      m_writer = std::thread([this] { run(); });
    } catch (...) {
      pthread_sigmask(SIG_SETMASK, &before, nullptr);
      throw;
    }
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
  } catch (...) {
    if (m_file) unlink(file.c_str());
    m_gives_up.store(true, order::relaxed); // threads that wait for room go on
    set_trace_sink(nullptr);
    throw;
  }
}

trace_stream::~trace_stream() { stop(); }

int trace_stream::stop() {
  const std::lock_guard one_at_a_time(m_stopping);
  if (!m_writer.joinable()) return 0;
  set_trace_sink(nullptr); // who waits for room gets it, as long as the writer runs
  {
    const std::lock_guard guard(m_lock);
    m_ends = true;
  }
  m_ending.notify_all();
  m_writer.join();
  return m_error != 0 ? m_error : m_file->error();
}

void trace_stream::add(const event_record& record, int worker, trace_slot& here) noexcept {
  auto* queue = owns(here) ? static_cast<record_queue*>(here.data) : new_queue(worker, here);
  while (queue && !queue->try_add(record)) {
    if (m_gives_up.load(order::relaxed)) {
      m_dropped.fetch_add(1, order::relaxed);
      return;
    }
    std::this_thread::sleep_for(std::chrono::microseconds(50));
  }
}

record_queue* trace_stream::new_queue(int worker, trace_slot& here) noexcept {
  try {
    auto queue = std::make_unique<record_queue>(m_records_per_thread, worker);
    record_queue* const made = queue.get();
    const std::lock_guard guard(m_lock);
    m_added.push_back(std::move(queue));
    here = {m_number, made};
    return made;
  } catch (...) { // no memory: tried again with its next record
    m_dropped.fetch_add(1, order::relaxed);
    return nullptr;
  }
}

void trace_stream::run() {
  try {
    // A record that was stamped before one look at the queues is in them at the next one, unless its thread is stopped
    // for so long just then; that one comes late, which Perfetto puts in order.
    std::int64_t seen = ticks_now();
    for (bool last = false; !last;) {
      std::vector<std::unique_ptr<record_queue>> added;
      {
        std::unique_lock guard(m_lock);
        last = m_ending.wait_for(guard, k_pause, [this] { return m_ends; });
        m_lanes.reserve(m_lanes.size() + m_added.size()); // no queue is lost that its thread still has
        added.swap(m_added);
      }
      for (auto& queue : added) {
        const record_queue& of = *m_lanes.emplace_back(std::move(queue)).queue;
        m_file->add_thread(of.worker() >= 0 ? "worker " + std::to_string(of.worker())
                                            : "thread " + std::to_string(m_lanes.size() - 1),
                           of.thread());
      }
      m_anchor_ticks = ticks_now();
      m_anchor_ns = steady_now_ns();
      take_all();
      write_until(last ? INT64_MAX : seen);
      m_file->flush(last);
      seen = m_anchor_ticks;
    }
  } catch (...) { // no memory
    m_error = ENOMEM;
    m_gives_up.store(true, order::relaxed);
  }
  m_records.fetch_sub(std::min(m_file->lost(), records()), order::relaxed);
  m_dropped.fetch_add(m_file->lost(), order::relaxed);
}

void trace_stream::take_all() {
  for (unsigned ring = 0; ring < m_lanes.size(); ++ring) {
    auto& queue = m_lanes[ring].queue;
    if (!queue) continue;
    const bool is_closed = queue->is_closed();
    queue->take([&](const trace_record& record) { m_taken.push_back({record, ring}); });
    if (is_closed) queue.reset();
  }
}

/// By the latest anchor, so that long traces do not drift; never back.
std::int64_t trace_stream::ns_of(std::int64_t ticks) noexcept {
  const std::int64_t ago = m_anchor_ticks - ticks;
  return m_last_ns = std::max(m_last_ns, m_anchor_ns - ticks_to_ns(ago));
}

void trace_stream::write_until(std::int64_t ticks) {
  const auto by_time = [](const timed& a, const timed& b) { return a.record.ticks < b.record.ticks; };
  std::stable_sort(m_taken.begin(), m_taken.end(), by_time);
  const auto end = std::partition_point(m_taken.begin(), m_taken.end(),
                                        [ticks](const timed& one) { return one.record.ticks <= ticks; });
  const auto count = static_cast<std::uint64_t>(end - m_taken.begin());
  if (m_file->error() != 0) {
    m_dropped.fetch_add(count, order::relaxed);
  } else {
    for (auto one = m_taken.begin(); one != end; ++one) write(one->ring, one->record);
    m_records.fetch_add(count, order::relaxed);
  }
  m_taken.erase(m_taken.begin(), end);
}

/// Of a task, which others of the process have again later; arrows end where it starts.
std::uint64_t trace_stream::flow_of(std::uint64_t task) const noexcept { return task ^ (m_process + 1) << 48; }

void trace_stream::write(unsigned ring, const trace_record& record) {
  const event_record& what = record.what;
  const std::int64_t ns = ns_of(record.ticks);
  auto& own = m_lanes[ring];
  const auto leave = [&] {
    m_file->end_slice(ring, ns);
    own.running.pop_back();
  };
  switch (what.kind) {
  case event_kind::task_created:
    m_created[what.task] = what.name;
    return m_file->add_moment(ring, ns, what.name, "created", flow_of(what.task));
  case event_kind::task_started: {
    const bool was_created = m_created.erase(what.task) != 0;
    own.running.push_back({what.task, what.name});
    return m_file->begin_slice(ring, ns, what.name, "task", was_created ? flow_of(what.task) : 0, true);
  }
  case event_kind::task_suspended: { // with all tasks on its stack
    if (own.running.empty()) return;
    auto& stack = m_suspended[own.running.back().task];
    stack = own.running;
    while (!own.running.empty()) leave();
    return;
  }
  case event_kind::task_resumed: {
    const auto found = m_suspended.find(what.task);
    if (found == m_suspended.end()) { // its suspension comes late, or came before the trace
      own.running.push_back({what.task, what.name});
      return m_file->begin_slice(ring, ns, what.name, "task");
    }
    for (const open_task& one : found->second) {
      own.running.push_back(one);
      m_file->begin_slice(ring, ns, one.name, "task");
    }
    m_suspended.erase(found);
    return;
  }
  case event_kind::task_finished: {
    m_created.erase(what.task);
    const bool is_here =
        std::any_of(own.running.begin(), own.running.end(), [&](const auto& one) { return one.task == what.task; });
    while (is_here && own.running.back().task != what.task) leave();
    if (is_here) leave();
    return;
  }
  case event_kind::worker_parked:
    if (!std::exchange(own.is_parked, true)) m_file->begin_slice(ring, ns, "parked", "parked");
    return;
  case event_kind::worker_woken:
    if (std::exchange(own.is_parked, false)) m_file->end_slice(ring, ns);
    return;
  case event_kind::parcel_sent:
  case event_kind::parcel_handled:
    return write_parcel(ring, ns, what);
  case event_kind::steal:
  case event_kind::promotion:
  case event_kind::custom:
  case event_kind::sample:
  case event_kind::decision:
  case event_kind::knob:
    return write_moment(ring, ns, what);
  default: // who depends on whom, which this format does not tell
    return;
  }
}

void trace_stream::write_parcel(unsigned ring, std::int64_t ns, const event_record& what) {
  const parcel_facts facts = parcel_facts::of(what);
  const bool is_sent = what.kind == event_kind::parcel_sent;
  const std::uint64_t from = is_sent ? m_process : facts.other, to = is_sent ? facts.other : m_process;
  const std::uint64_t flow = std::uint64_t{1} << 63 | (from & 0x1ff) << 54 | (to & 0x3ff) << 44 | facts.number;
  m_file->begin_slice(ring, ns - ticks_to_ns(facts.ticks), what.name, is_sent ? "send" : "handle", flow, !is_sent);
  m_file->end_slice(ring, ns);
}

void trace_stream::write_moment(unsigned ring, std::int64_t ns, const event_record& what) {
  if (has_value(what)) return m_file->add_value(ring, ns, what.name, what.value);
  m_file->add_moment(ring, ns, name_of_moment(what), what.kind == event_kind::decision ? "decision" : "event");
}

} // namespace treadle::detail

namespace treadle {

streamed_trace::streamed_trace(const std::string& file, std::size_t records_per_thread) {
  if (!detail::is_streamed_file(file))
    throw std::invalid_argument("trace: what is streamed to '" + file + "' is Perfetto's: its name ends in .pftrace");
  detail::check_folder(file, "trace");
  m_stream = std::make_unique<detail::trace_stream>(file, records_per_thread);
  detail::trace_knobs();
}
streamed_trace::~streamed_trace() {
  if (!m_stream->is_own()) static_cast<void>(m_stream.release()); // its threads do not exist here
}

void streamed_trace::stop() {
  if (!m_stream->is_own()) return;
  if (const int error = m_stream->stop(); error != 0)
    throw std::system_error(error, std::generic_category(),
                            "trace: " + std::to_string(dropped()) + " records are not in the file");
}

std::uint64_t streamed_trace::records() const noexcept { return m_stream->records(); }
std::uint64_t streamed_trace::dropped() const noexcept { return m_stream->dropped(); }

} // namespace treadle
