// Readers of counters for treadle.counters, and traces for treadle.trace.
#include "counters.hpp"

#include <treadle/observe/counters.hpp>
#include <treadle/observe/profile.hpp>
#include <treadle/observe/streamed_trace.hpp>
#include <treadle/observe/trace.hpp>

#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

namespace treadle::python {
namespace {

namespace nb = nanobind;
using namespace nb::literals;

/// (name, value or ranges, unit, time in ns, why there is no value) of each.
nb::list as_tuples(const std::vector<counters::reading>& readings) {
  nb::list rows;
  for (const auto& one : readings) {
    const nb::object value = one.ranges.empty() ? nb::object(nb::float_(one.value)) : nb::cast(one.ranges);
    rows.append(nb::make_tuple(one.name, value, one.unit, one.time_ns, one.missing));
  }
  return rows;
}

nb::list as_tuples(const std::vector<task_profile>& profiles) {
  nb::list rows;
  for (const task_profile& row : profiles)
    rows.append(nb::make_tuple(row.name, row.tasks, row.self_ns, row.total_ns, row.min_ns, row.p50_ns, row.p99_ns,
                               row.max_ns, row.staged_ns, row.pending_ns));
  return rows;
}

nb::list as_tuples(const std::vector<pool_profile>& pools) {
  nb::list rows;
  for (const pool_profile& one : pools)
    rows.append(nb::make_tuple(one.name, one.workers, one.elapsed_ns, one.parallel_efficiency, one.load_balance,
                               one.scheduling, one.serialization));
  return rows;
}

std::vector<counters::reading> read(const counters::group& group) {
  const nb::gil_scoped_release others;
  return group.read();
}

} // namespace

void bind_counters(nanobind::module_& m) {
  nb::class_<counters::group>(m, "CounterGroup")
      .def(nb::init<const std::vector<std::string>&>(), "patterns"_a)
      .def("read", [](const counters::group& group) { return as_tuples(read(group)); })
      .def("reset", &counters::group::reset, nb::call_guard<nb::gil_scoped_release>());
  m.def(
      "discover_counters",
      [](std::string_view pattern) {
        nb::list found;
        for (const auto& one : counters::discover(pattern))
          found.append(nb::make_tuple(one.name, counters::to_string(one.kind), one.unit, one.help));
        return found;
      },
      "pattern"_a);

  m.def("open_metrics", &counters::open_metrics, "patterns"_a, nb::call_guard<nb::gil_scoped_release>());

  nb::class_<trace>(m, "Trace")
      .def(nb::init<std::size_t, bool>(), "records_per_thread"_a, "with_forks"_a)
      .def("stop", &trace::stop, nb::call_guard<nb::gil_scoped_release>())
      .def("save", &trace::save, "file"_a, nb::call_guard<nb::gil_scoped_release>())
      .def("text", &trace::text, "format"_a, nb::call_guard<nb::gil_scoped_release>())
      .def("records", &trace::records)
      .def("dropped", &trace::dropped)
      .def("profile", [](trace& t) { return as_tuples(t.profile()); });
  nb::class_<streamed_trace>(m, "StreamedTrace")
      .def(nb::init<const std::string&, std::size_t>(), "file"_a, "records_per_thread"_a)
      .def("stop", &streamed_trace::stop, nb::call_guard<nb::gil_scoped_release>())
      .def("records", &streamed_trace::records)
      .def("dropped", &streamed_trace::dropped);
  nb::class_<profile>(m, "TaskProfiles")
      .def(nb::init<>(), nb::call_guard<nb::gil_scoped_release>())
      .def("read",
           [](const profile& p) {
             const auto [rows, pools] = [&] {
               const nb::gil_scoped_release others;
               return std::pair(p.rows(), p.pools());
             }();
             return nb::make_tuple(as_tuples(rows), as_tuples(pools), profile_text(pools), profile_text(rows));
           })
      .def("reset", &profile::reset, nb::call_guard<nb::gil_scoped_release>());
}

} // namespace treadle::python
