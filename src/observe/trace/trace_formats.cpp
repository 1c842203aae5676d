#include "base/clock.hpp"
#include "base/file_text.hpp"
#include "base/json.hpp"
#include "base/process_in_program.hpp"
#include "observe/profile_text.hpp"
#include "observe/trace/trace_analysis.hpp"

#include <algorithm>
#include <cstdio>
#include <map>
#include <string>
#include <utility>

#include <unistd.h>

namespace treadle::detail {
namespace {

std::string thread_name(const trace_session& session, int ring) {
  const int worker = session.rings()[static_cast<std::size_t>(ring)]->worker();
  return worker >= 0 ? "worker " + std::to_string(worker) : "thread " + std::to_string(ring);
}

/// One event per line in the array `traceEvents`.
/// https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU (Trace Event Format)
class chrome_writer {
 public:
  explicit chrome_writer(const trace_session& session) : m_session(session) {}

  void add_thread(int ring) {
    begin("M", ring);
    m_text += R"(, "name": "thread_name", "args": {"name": )" + json_string(thread_name(m_session, ring)) + "}}";
  }
  void add_slice(int ring, std::string_view name, std::int64_t from, std::int64_t to, const std::string& category) {
    begin("X", ring);
    add_time("ts", from - m_session.start_ticks());
    add_time("dur", to - from);
    m_text += R"(, "name": )" + json_string(name) + R"(, "cat": ")" + category + R"("})";
  }
  /// An arrow has two ends.
  void add_arrow(bool head, int ring, std::int64_t ticks, int number) {
    add_arrow(head, ring, ticks, "created", std::to_string(number));
  }
  /// A slice at its sender and one at its receiver, with an arrow whose ends are in the traces of both.
  void add_parcel(int ring, std::int64_t end_ticks, const event_record& what) {
    const parcel_facts facts = parcel_facts::of(what);
    const bool is_sent = what.kind == event_kind::parcel_sent;
    const std::int64_t begin_ticks = end_ticks - facts.ticks;
    add_slice(ring, (is_sent ? "send " : "handle ") + std::string(what.name), begin_ticks, end_ticks, "parcel");
    const std::string other = std::to_string(facts.other),
                      way = is_sent ? m_process + ">" + other : other + ">" + m_process;
    add_arrow(!is_sent, ring, begin_ticks, "parcel", json_string(way + "." + std::to_string(facts.number)));
  }
  void add_moment(int ring, std::string_view name, std::int64_t ticks) {
    begin("i", ring);
    add_time("ts", ticks - m_session.start_ticks());
    m_text += R"(, "s": "t", "name": )" + json_string(name) + "}";
  }
  void add_value(int ring, std::string_view name, std::int64_t ticks, double value) {
    begin("C", ring);
    add_time("ts", ticks - m_session.start_ticks());
    m_text += R"(, "name": )" + json_string(name) + R"(, "args": {"value": )" + json_number(value) + "}}";
  }
  std::string finish() && {
    return std::move(m_text) +
           "\n], \"displayTimeUnit\": \"ns\", \"otherData\": {\"records\": " + std::to_string(m_session.records()) +
           ", \"dropped\": " + std::to_string(m_session.dropped()) + ", \"process\": " + m_process + start() + "}}\n";
  }

 private:
  std::string start() const {
    char host[256] = "";
    gethostname(host, sizeof host - 1);
    return ", \"host\": " + json_string(host) + ", \"start_ns\": " + std::to_string(m_session.start_ns()) +
           ", \"start_system_ns\": " + std::to_string(m_session.start_system_ns());
  }
  void add_arrow(bool head, int ring, std::int64_t ticks, const std::string& kind, const std::string& id) {
    begin(head ? "f" : "s", ring);
    add_time("ts", ticks - m_session.start_ticks());
    m_text += R"(, "name": ")" + kind + R"(", "cat": ")" + kind + R"(", "id": )" + id;
    m_text += head ? R"(, "bp": "e"})" : "}";
  }
  void begin(const char* phase, int ring) {
    m_text += m_first ? "{\"traceEvents\": [\n" : ",\n";
    m_first = false;
    m_text += std::string(R"({"ph": ")") + phase + R"(", "pid": )" + m_process + R"(, "tid": )" + std::to_string(ring);
  }
  void add_time(const char* what, std::int64_t ticks) {
    char text[48];
    std::snprintf(text, sizeof text, R"(, "%s": %.3f)", what, static_cast<double>(ticks_to_ns(ticks)) * 1e-3);
    m_text += text;
  }

  const trace_session& m_session;
  const std::string m_process = std::to_string(number_in_program());
  std::string m_text;
  bool m_first = true;
};

/// Tasks of one name under those of the same path of names.
struct tree_node {
  std::uint64_t tasks = 0;
  std::int64_t total_ticks = 0, self_ticks = 0;
  std::map<std::string_view, tree_node> created;
};

void print_tree(std::string& text, const std::map<std::string_view, tree_node>& level, const std::string& indent) {
  std::vector<const std::pair<const std::string_view, tree_node>*> sorted;
  for (const auto& one : level) sorted.push_back(&one);
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const auto* a, const auto* b) { return a->second.total_ticks > b->second.total_ticks; });
  for (const auto* one : sorted) {
    const tree_node& node = one->second;
    text += indent + std::string(one->first) + ": " + std::to_string(node.tasks) + " x, " +
            readable_ns(ticks_to_ns(node.total_ticks)) + ", self " + readable_ns(ticks_to_ns(node.self_ticks)) + '\n';
    print_tree(text, node.created, indent + "  ");
  }
}

} // namespace

std::string chrome_trace(const trace_session& session, const trace_analysis& found) {
  chrome_writer writer(session);
  for (int ring = 0; ring != static_cast<int>(session.rings().size()); ++ring) writer.add_thread(ring);
  for (const auto& slice : found.slices) {
    const auto& task = found.tasks[static_cast<std::size_t>(slice.task)];
    writer.add_slice(slice.ring, task.name, slice.begin_ticks, slice.end_ticks, "task");
    if (!slice.first || task.created_on == trace_analysis::k_none) continue;
    writer.add_arrow(false, task.created_on, task.created_ticks, slice.task);
    writer.add_arrow(true, slice.ring, slice.begin_ticks, slice.task);
  }
  for (const auto& pause : found.pauses)
    writer.add_slice(pause.ring, "parked", pause.begin_ticks, pause.end_ticks, "parked");
  for (const auto& moment : found.moments) {
    const event_record& what = moment.what;
    if (what.kind == event_kind::parcel_sent || what.kind == event_kind::parcel_handled) {
      writer.add_parcel(moment.ring, moment.ticks, what);
    } else if (has_value(what)) {
      writer.add_value(moment.ring, what.name, moment.ticks, what.value);
    } else {
      writer.add_moment(moment.ring, name_of_moment(what), moment.ticks);
    }
  }
  return std::move(writer).finish();
}

std::string task_graph(const trace_analysis& found) {
  std::map<std::pair<std::string_view, std::string_view>, std::uint64_t> edges;
  for (const auto& task : found.tasks) {
    const bool known = task.creator != trace_analysis::k_none;
    ++edges[{known ? found.tasks[static_cast<std::size_t>(task.creator)].name : "", task.name}];
  }
  std::string text = "digraph tasks {\n  node [shape=box];\n  \"\" [label=\"outside\", style=dashed];\n";
  for (const task_profile& row : found.profile()) {
    text += "  " + json_string(row.name) + " [label=" +
            json_string(row.name + "\n" + std::to_string(row.tasks) + " x, self " + readable_ns(row.self_ns)) + "];\n";
  }
  for (const auto& [names, count] : edges) {
    text += "  " + json_string(names.first) + " -> " + json_string(names.second) + " [label=" + std::to_string(count) +
            "];\n";
  }
  return text + "}\n";
}

std::string task_tree(const trace_session& session, const trace_analysis& found) {
  constexpr int k_depth_max = 64; // of the tree; tasks deeper than that belong to the last level
  std::map<std::string_view, tree_node> roots;
  std::vector<tree_node*> node_of(found.tasks.size());
  std::vector<int> depth_of(found.tasks.size());
  for (std::size_t i = 0; i != found.tasks.size(); ++i) { // a creator comes before what it creates
    const auto& task = found.tasks[i];
    const auto creator = static_cast<std::size_t>(task.creator);
    tree_node* parent = task.creator == trace_analysis::k_none ? nullptr : node_of[creator];
    const bool deep = parent && depth_of[creator] == k_depth_max;
    tree_node& node = !parent ? roots[task.name] : deep ? *parent : parent->created[task.name];
    depth_of[i] = !parent ? 0 : depth_of[creator] + !deep;
    node_of[i] = &node;
    node.tasks += task.started;
    node.total_ticks += task.total_ticks;
    node.self_ticks += task.self_ticks;
  }
  std::string text = std::to_string(session.records()) + " records, " + std::to_string(session.dropped()) +
                     " dropped, " + readable_ns(ticks_to_ns(session.stop_ticks() - session.start_ticks())) +
                     "\n\nprofile\n" + profile_text(found.profile()) + "\nwho created what\n";
  print_tree(text, roots, "  ");
  return text;
}

} // namespace treadle::detail
