#include "observe/trace/perfetto_file.hpp"

#include "base/process_in_program.hpp"
#include "observe/programs/program_name.hpp"

#include <algorithm>
#include <cerrno>
#include <system_error>

#include <fcntl.h>
#include <protozero/pbf_writer.hpp>
#include <unistd.h>

namespace treadle::detail {
namespace {

using protozero::pbf_writer;

// Numbers of fields in Perfetto's .proto files.
namespace trace_file {
constexpr std::uint32_t packet = 1;
}
namespace trace_packet {
constexpr std::uint32_t timestamp = 8, sequence = 10, track_event = 11, interned_data = 12, sequence_flags = 13,
                        defaults = 59, track_descriptor = 60;
constexpr std::uint32_t flag_cleared = 1, flag_needs_state = 2;
} // namespace trace_packet
namespace track_event {
constexpr std::uint32_t category_iids = 3, type = 9, name_iid = 10, track_uuid = 11, double_counter_value = 44,
                        flow_ids = 47, terminating_flow_ids = 48;
} // namespace track_event
namespace interned_data {
constexpr std::uint32_t event_categories = 1, event_names = 2, iid = 1, name = 2;
}
namespace track_descriptor {
constexpr std::uint32_t uuid = 1, name = 2, process = 3, thread = 4, parent_uuid = 5, counter = 8;
}
namespace process_descriptor {
constexpr std::uint32_t pid = 1, process_name = 6;
}
namespace thread_descriptor {
constexpr std::uint32_t pid = 1, tid = 2, thread_name = 5;
}
namespace packet_defaults {
constexpr std::uint32_t track_event = 11, track_uuid = 11;
}

constexpr unsigned k_most_threads = 4096;            // of a process, in numbers that are told apart
constexpr std::uint64_t k_counters = 1U << 20;       // from here on tracks are of counters
constexpr std::size_t k_much = std::size_t{1} << 20; // bytes that are written together

} // namespace

struct perfetto_file::event {
  enum class sort : std::int32_t { begin = 1, end = 2, moment = 3, value = 4 } type;
  std::int64_t ns;
  std::string_view name = {}, category = {};
  std::uint64_t flow = 0;
  bool ends_flow = false;
  std::uint64_t track = 0; // of a counter
  double value = 0;
};

perfetto_file::perfetto_file(std::string path)
    : m_path(std::move(path)),
      m_file(open(m_path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666)),
      m_process(number_in_program()) {
  if (m_file < 0) throw std::system_error(errno, std::generic_category(), "trace: cannot write '" + m_path + "'");
  {
    pbf_writer packet(m_packet);
    pbf_writer descriptor(packet, trace_packet::track_descriptor);
    descriptor.add_uint64(track_descriptor::uuid, track(0));
    pbf_writer process(descriptor, track_descriptor::process);
    process.add_int32(process_descriptor::pid, getpid());
    process.add_string(process_descriptor::process_name, shown_name_of_program());
  }
  add_packet();
}

perfetto_file::~perfetto_file() {
  flush(true);
  close(m_file);
}

std::uint64_t perfetto_file::track(std::uint64_t number) const noexcept {
  return (std::uint64_t{m_process} + 1) << 32 | number;
}

void perfetto_file::add_thread(std::string_view name, std::int32_t thread) {
  m_threads.emplace_back();
  {
    pbf_writer packet(m_packet);
    pbf_writer descriptor(packet, trace_packet::track_descriptor);
    descriptor.add_uint64(track_descriptor::uuid, track(m_threads.size()));
    descriptor.add_uint64(track_descriptor::parent_uuid, track(0));
    pbf_writer of_thread(descriptor, track_descriptor::thread);
    of_thread.add_int32(thread_descriptor::pid, getpid());
    of_thread.add_int32(thread_descriptor::tid, thread);
    of_thread.add_string(thread_descriptor::thread_name, name.data(), name.size());
  }
  add_packet();
}

void perfetto_file::add_event(unsigned thread, const event& what) {
  sequence& own = m_threads[thread];
  pbf_writer packet(m_packet);
  packet.add_uint64(trace_packet::timestamp, static_cast<std::uint64_t>(what.ns));
  packet.add_uint32(trace_packet::sequence, m_process * k_most_threads + thread + 1);
  packet.add_uint32(trace_packet::sequence_flags,
                    trace_packet::flag_needs_state | (own.begun ? 0 : trace_packet::flag_cleared));
  if (!own.begun) {
    own.begun = true;
    pbf_writer defaults(packet, trace_packet::defaults);
    pbf_writer of_events(defaults, packet_defaults::track_event);
    of_events.add_uint64(packet_defaults::track_uuid, track(thread + 1));
  }
  const auto number_of_text = [&](auto& known, std::string_view text, std::uint32_t field) -> std::uint64_t {
    if (text.empty()) return 0;
    const auto [found, is_new] = known.try_emplace(text, known.size() + 1);
    if (is_new) {
      pbf_writer interned(packet, trace_packet::interned_data);
      pbf_writer entry(interned, field);
      entry.add_uint64(interned_data::iid, found->second);
      entry.add_string(interned_data::name, text.data(), text.size());
    }
    return found->second;
  };
  const std::uint64_t name = number_of_text(own.names, what.name, interned_data::event_names);
  const std::uint64_t category = number_of_text(own.categories, what.category, interned_data::event_categories);
  {
    pbf_writer told(packet, trace_packet::track_event);
    told.add_enum(track_event::type, static_cast<std::int32_t>(what.type));
    if (name != 0) told.add_uint64(track_event::name_iid, name);
    if (category != 0) told.add_uint64(track_event::category_iids, category);
    if (what.flow != 0)
      told.add_fixed64(what.ends_flow ? track_event::terminating_flow_ids : track_event::flow_ids, what.flow);
    if (what.type == event::sort::value) {
      told.add_uint64(track_event::track_uuid, what.track);
      told.add_double(track_event::double_counter_value, what.value);
    }
  }
  add_packet();
}

void perfetto_file::add_packet() {
  pbf_writer all(m_bytes);
  all.add_message(trace_file::packet, m_packet);
  m_packet.clear();
  m_ends.push_back(m_bytes.size());
}

void perfetto_file::begin_slice(unsigned thread, std::int64_t ns, std::string_view name, std::string_view category,
                                std::uint64_t flow, bool ends_flow) {
  add_event(thread, {event::sort::begin, ns, name, category, flow, ends_flow});
}
void perfetto_file::end_slice(unsigned thread, std::int64_t ns) { add_event(thread, {event::sort::end, ns}); }
void perfetto_file::add_moment(unsigned thread, std::int64_t ns, std::string_view name, std::string_view category,
                               std::uint64_t flow) {
  add_event(thread, {event::sort::moment, ns, name, category, flow});
}
void perfetto_file::add_value(unsigned thread, std::int64_t ns, std::string_view name, double value) {
  event what{event::sort::value, ns};
  what.track = counter_track(name);
  what.value = value;
  add_event(thread, what);
}

std::uint64_t perfetto_file::counter_track(std::string_view name) {
  const auto [found, is_new] = m_counters.try_emplace(std::string(name), track(k_counters + m_counters.size()));
  if (!is_new) return found->second;
  {
    pbf_writer packet(m_packet);
    pbf_writer descriptor(packet, trace_packet::track_descriptor);
    descriptor.add_uint64(track_descriptor::uuid, found->second);
    descriptor.add_uint64(track_descriptor::parent_uuid, track(0));
    descriptor.add_string(track_descriptor::name, name.data(), name.size());
    pbf_writer counter(descriptor, track_descriptor::counter);
  }
  add_packet();
  return found->second;
}

void perfetto_file::flush(bool all) {
  if (!all && m_bytes.size() < k_much) return;
  std::size_t done = 0;
  while (m_error == 0 && done < m_bytes.size()) {
    const ssize_t wrote = write(m_file, m_bytes.data() + done, m_bytes.size() - done);
    if (wrote >= 0) {
      done += static_cast<std::size_t>(wrote);
    } else if (errno != EINTR) {
      m_error = errno;
      const auto end = std::upper_bound(m_ends.begin(), m_ends.end(), done);
      const std::size_t whole = end == m_ends.begin() ? 0 : *std::prev(end);
      m_lost = static_cast<std::uint64_t>(m_ends.end() - end);
      if (ftruncate(m_file, static_cast<off_t>(m_written + whole)) != 0) continue; // the end is cut short
    }
  }
  m_written += done;
  m_bytes.clear();
  m_ends.clear();
}

} // namespace treadle::detail
