// What treadle.top shows, and report_progress().
#include "programs.hpp"

#include <treadle/observe/agent.hpp>
#include <treadle/observe/programs.hpp>

#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>

namespace treadle::python {
namespace {

namespace nb = nanobind;
using namespace nb::literals;

nb::dict as_dict(const program_report& r) {
  nb::dict d;
  d["pid"] = r.pid;
  d["name"] = r.name;
  d["answers"] = r.answers;
  d["age_ns"] = r.age_ns;
  d["runs_ns"] = r.runs_ns;
  d["cpu_ns"] = r.cpu_ns;
  d["workers"] = r.workers;
  d["granted"] = r.granted;
  d["active"] = r.active;
  d["searching"] = r.searching;
  d["parked"] = r.parked;
  d["blocked"] = r.blocked;
  d["queued"] = r.queued;
  d["executed"] = r.executed;
  nb::list streams, decisions;
  for (const auto& one : r.streams) streams.append(nb::make_tuple(one.stream, one.value, one.age_ns));
  for (const auto& one : r.decisions) decisions.append(nb::make_tuple(one.kind, one.instance, one.chosen));
  d["streams"] = streams;
  d["decisions"] = decisions;
  return d;
}

void wish(unsigned least, unsigned most, double weight, bool preferred, std::string group, std::string role,
          double target) {
  wish_for_cores({least, most, weight, preferred, std::move(group), std::move(role), target});
}

} // namespace

void bind_programs(nanobind::module_& m) {
  m.def("report_progress", &report_progress, "value"_a, "stream"_a = "");
  m.def("program_directory", &program_directory);
  m.def(
      "running_programs",
      [](unsigned patience_ms) {
        std::vector<program_report> found;
        {
          const nb::gil_scoped_release others;
          found = running_programs(patience_ms);
        }
        nb::list all;
        for (const program_report& one : found) all.append(as_dict(one));
        return all;
      },
      "patience_ms"_a = 100);
  m.def("wish_for_cores", &wish, "least"_a, "most"_a, "weight"_a, "preferred"_a, "group"_a, "role"_a, "target"_a);
  m.def("agent_status", [] {
    const agent_status s = status_of_agent();
    return nb::make_tuple(s.is_governed, s.granted, s.epoch, s.reason, s.trouble);
  });
  m.def(
      "ask_agent",
      [](const std::string& command, const std::string& arguments, unsigned patience_ms) {
        const nb::gil_scoped_release others;
        return ask_agent(command, arguments, patience_ms);
      },
      "command"_a, "arguments"_a, "patience_ms"_a);
}

} // namespace treadle::python
