// The native module treadle._native: programs, the runtime of the process, and what both report. Python wraps it; see
// python/treadle/_native.pyi for the types.
#include "convert.hpp"
#include "counters.hpp"
#include "localities.hpp"
#include "prediction.hpp"
#include "programs.hpp"
#include "session.hpp"
#include "tuning.hpp"

#include <treadle/arrays/physl.hpp>
#include <treadle/observe/machine.hpp>
#include <treadle/runtime.hpp>
#include <treadle/topology.hpp>
#include <treadle/tune/inlining.hpp>

#include <nanobind/nanobind.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <csignal>
#include <sys/syscall.h>
#include <unistd.h>

#include <memory>
#include <new>
#include <system_error>

namespace nb = nanobind;
using namespace nb::literals;

namespace treadle::python {
namespace {

// --- errors
// -----------------------------------------------------------------------------------------------------------
const char* name_of(error_kind kind) {
  switch (kind) {
  case error_kind::value:
    return "value";
  case error_kind::type:
    return "type";
  case error_kind::index:
    return "index";
  case error_kind::key:
    return "key";
  case error_kind::zero_division:
    return "zero_division";
  case error_kind::overflow:
    return "overflow";
  case error_kind::attribute:
    return "attribute";
  case error_kind::axis:
    return "axis";
  case error_kind::linear_algebra:
    return "linear_algebra";
  case error_kind::assertion:
    return "assertion";
  case error_kind::name:
    return "name";
  case error_kind::recursion:
    return "recursion";
  case error_kind::memory:
    return "memory";
  case error_kind::sharing:
    return "sharing";
  case error_kind::program:
    break;
  }
  return "program";
}

void raise_physl_error(const physl::error& e) {
  nb::list trace;
  for (const auto& entry : e.back_trace()) trace.append(nb::make_tuple(entry.function, entry.line, entry.column));
  auto type = nb::module_::import_("treadle.error_types").attr("PHYSL_ERRORS")[name_of(e.kind())];
  auto instance = type(e.what(), e.message(), e.file(), e.line(), e.column(), trace);
  PyErr_SetObject(type.ptr(), instance.ptr());
}

void translate(const std::exception_ptr& p, void*) {
  try {
    std::rethrow_exception(p);
  } catch (const physl::error& e) {
    raise_physl_error(e);
  } catch (const value_error& e) {
    PyErr_SetString(PyExc_ValueError, e.what());
  } catch (const std::system_error& e) {
    PyErr_SetObject(PyExc_OSError, nb::make_tuple(e.code().value(), e.what()).ptr());
  }
}

// --- interruption
// ------------------------------------------------------------------------------------------------------- While the
// main thread is inside a run, Ctrl-C must stop it: Python would only notice the signal afterwards.
std::atomic<bool> g_interrupted{false};

class interruptible {
 public:
  interruptible() : m_active(getpid() == static_cast<pid_t>(syscall(SYS_gettid))) {
    if (!m_active) return;
    g_interrupted = false;
    struct sigaction action{};
    action.sa_handler = [](int) { g_interrupted = true; };
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, nullptr, &m_previous);
    m_active = m_previous.sa_handler != SIG_IGN && m_previous.sa_handler != SIG_DFL; // Python is listening
    if (m_active) sigaction(SIGINT, &action, nullptr);
  }
  ~interruptible() {
    if (!m_active) return;
    sigaction(SIGINT, &m_previous, nullptr);
    if (g_interrupted) raise(SIGINT); // for Python, which raises KeyboardInterrupt
  }
  interruptible(const interruptible&) = delete;
  interruptible& operator=(const interruptible&) = delete;
  bool interrupted() const noexcept { return m_active && g_interrupted; }
  const std::atomic<bool>* flag() const noexcept { return m_active ? &g_interrupted : nullptr; }

 private:
  bool m_active;
  struct sigaction m_previous{};
};

} // namespace

void check_signals() {
  nb::gil_scoped_acquire locked;
  if (PyErr_CheckSignals() != 0) throw nb::python_error();
}

namespace {

// --- running
// ------------------------------------------------------------------------------------------------------------
struct settings {
  std::string policy;
  std::uint64_t count_threshold = 5, lower_ns = 350'000, upper_ns = 500'000;
  std::size_t timeline_capacity = 0;
  unsigned workers = 0;
  bool dense_diagonals = false;
  threshold_search thresholds = {};
};

physl::run_options options_of(const settings& s) {
  physl::run_options options;
  options.policy = inlining_policy_from_name(s.policy);
  options.count_threshold = s.count_threshold;
  options.lower_ns = s.lower_ns;
  options.upper_ns = s.upper_ns;
  options.thresholds = s.thresholds;
  options.timeline_capacity = s.timeline_capacity;
  options.dense_diagonals = s.dense_diagonals;
  options.write = write_output;
  options.print = print_values;
  return options;
}

std::vector<value> values_of(nb::handle arguments, const std::vector<std::string>& names) {
  std::vector<value> values;
  std::size_t i = 0;
  for (nb::handle argument : nb::iter(arguments)) {
    values.push_back(to_value(argument, i < names.size() ? names[i] : "argument " + std::to_string(i + 1)));
    ++i;
  }
  return values;
}

nb::object run(const physl::program& program, nb::handle arguments, const std::vector<std::string>& names,
               const settings& s) {
  release_pending();
  auto options = options_of(s);
  value result;
  bool was_interrupted = false;
  {
    std::vector<value> values;
    try {
      values = values_of(arguments, names);
    } catch (...) {
      nb::gil_scoped_release unlocked;
      program.not_run("its arguments cannot be taken");
      throw;
    }
    nb::gil_scoped_release unlocked;
    running use(options, s.workers);
    interruptible guard;
    options.cancel = guard.flag();
    try {
      result = program.run(values, options);
    } catch (const physl::error&) {
      if (!guard.interrupted()) throw;
      was_interrupted = true;
    }
  }
  if (was_interrupted && PyErr_CheckSignals() != 0) throw nb::python_error();
  release_pending();
  return to_python(std::move(result));
}

std::shared_ptr<submission> submit_run(const physl::program& program, nb::handle arguments,
                                       const std::vector<std::string>& names, const settings& s, std::int64_t ticket) {
  release_pending();
  auto values = values_of(arguments, names);
  for (auto& v : values) v = detached(v); // the caller may change its arrays from now on
  release_pending();
  auto work = std::make_shared<submission>(ticket, program, std::move(values), options_of(s));
  nb::gil_scoped_release unlocked;
  submit(work, s.workers);
  return work;
}

// What programs printed, in order: text, or the tuple of values of one print().
nb::list output() {
  nb::list result;
  for (auto& part : take_output()) {
    if (part.is_text) {
      result.append(to_python(value(part.text)));
      continue;
    }
    nb::list values;
    for (auto& v : part.values) values.append(to_python(std::move(v)));
    result.append(nb::tuple(values));
  }
  return result;
}

// (ticket, result, None) or (ticket, None, exception) of every submitted run that is complete.
nb::list completions() {
  nb::list result;
  for (auto& done : take_completions()) {
    nb::object answer = nb::none(), problem = nb::none();
    try {
      if (done.error) std::rethrow_exception(done.error);
      answer = to_python(std::move(done.result));
    } catch (const physl::error& e) {
      raise_physl_error(e);
      problem = nb::borrow(nb::python_error().value());
    } catch (nb::python_error& e) {
      problem = nb::borrow(e.value());
    } catch (const std::bad_alloc&) {
      problem = nb::handle(PyExc_MemoryError)();
    } catch (const std::exception& e) {
      problem = nb::handle(PyExc_RuntimeError)(e.what());
    }
    result.append(nb::make_tuple(done.ticket, answer, problem));
  }
  release_pending();
  return result;
}

} // namespace

NB_MODULE(_native, m) {
  nb::set_leak_warnings(false); // compiled programs may live as long as the process
  nb::register_exception_translator(translate);

  nb::class_<settings>(m, "Settings")
      .def(
          "__init__",
          [](settings* self, const std::string& policy, std::uint64_t count_threshold, std::uint64_t lower_ns,
             std::uint64_t upper_ns, const std::string& search,
             std::tuple<std::uint64_t, std::uint64_t, std::uint64_t> thresholds_ns, std::uint32_t window,
             std::size_t timeline_capacity, unsigned workers, bool dense_diagonals) {
            (void)inlining_policy_from_name(policy);
            const auto [first_ns, last_ns, step_ns] = thresholds_ns;
            const threshold_search thresholds{search_strategy_from_name(search), first_ns, last_ns, step_ns, window};
            new (self) settings{policy,  count_threshold, lower_ns,  upper_ns, timeline_capacity,
                                workers, dense_diagonals, thresholds};
          },
          nb::kw_only(), "policy"_a, "count_threshold"_a, "lower_ns"_a, "upper_ns"_a, "search"_a, "thresholds_ns"_a,
          "window"_a, "timeline_capacity"_a, "workers"_a, "dense_diagonals"_a);

  nb::class_<physl::node_profile>(m, "NodeProfile")
      .def_ro("name", &physl::node_profile::name)
      .def_ro("display", &physl::node_profile::display)
      .def_ro("primitive", &physl::node_profile::primitive)
      .def_ro("line", &physl::node_profile::line)
      .def_ro("column", &physl::node_profile::column)
      .def_ro("parent", &physl::node_profile::parent)
      .def_ro("count", &physl::node_profile::count)
      .def_ro("inclusive_ns", &physl::node_profile::inclusive_ns)
      .def_ro("self_ns", &physl::node_profile::self_ns)
      .def_ro("inlined", &physl::node_profile::inlined)
      .def_ro("spawned", &physl::node_profile::spawned)
      .def_ro("why", &physl::node_profile::why)
      .def_prop_ro("mode", [](const physl::node_profile& n) { return static_cast<int>(n.mode); });

  nb::class_<submission>(m, "Submission")
      .def("try_cancel",
           [](submission& s) {
             int expected = submission::waiting;
             return s.stage.compare_exchange_strong(expected, submission::cancelled);
           })
      .def("running", [](const submission& s) { return s.stage == submission::running; })
      .def("stop", [](submission& s) { s.cancel = true; });

  nb::class_<physl::program>(m, "Program", nb::is_weak_referenceable())
      .def(nb::init<std::string_view, std::string, std::string_view, std::string>(), "text"_a, "source_name"_a,
           "source_text"_a = "", "instance"_a = "")
      .def("run", run, "arguments"_a, "names"_a, "settings"_a)
      .def(
          "submit",
          [](const physl::program& p, nb::handle arguments, const std::vector<std::string>& names, const settings& s,
             std::int64_t ticket) { return submit_run(p, arguments, names, s, ticket); },
          "arguments"_a, "names"_a, "settings"_a, "ticket"_a)
      .def("profile", &physl::program::profile)
      .def("reset_profile", &physl::program::reset_profile)
      .def("timeline",
           [](const physl::program& p) {
             const auto found = p.timeline();
             nb::list records;
             for (const auto& r : found.records) records.append(nb::make_tuple(r.node, r.worker, r.start_ns, r.end_ns));
             return nb::make_tuple(records, found.dropped);
           })
      .def("uses_localities", &physl::program::uses_localities)
      .def("text", &physl::program::text)
      .def("dot", &physl::program::dot)
      .def("newick", &physl::program::newick)
      .def("counters_csv", &physl::program::counters_csv)
      .def_prop_ro("instance", &physl::program::instance)
      .def("splitting",
           [](const physl::program& p) {
             const auto found = p.splitting();
             return nb::make_tuple(found.threshold_ns, found.windows, found.tuner_ns);
           })
      .def("parallelism", [](const physl::program& p) {
        nb::list notes;
        for (const auto& note : p.parallelism())
          notes.append(
              nb::make_tuple(note.form, note.line, note.column, note.parallel, note.text, note.node, note.decision));
        return notes;
      });

  m.def(
      "check_threshold_search",
      [](const std::string& search, std::tuple<std::uint64_t, std::uint64_t, std::uint64_t> thresholds_ns,
         std::uint32_t window) {
        const auto [first_ns, last_ns, step_ns] = thresholds_ns;
        check({search_strategy_from_name(search), first_ns, last_ns, step_ns, window});
      },
      "search"_a, "thresholds_ns"_a, "window"_a);
  m.def("format", &physl::format, "text"_a, "source_name"_a);
  m.def("primitive_names", [] {
    nb::list names;
    for (auto name : physl::primitive_names()) names.append(nb::str(name.data(), name.size()));
    return names;
  });
  m.def("read_csv", [](const std::string& path) { return to_python(value(read_csv(path))); }, "path"_a);

  m.def("start_runtime", &start_runtime, "workers"_a, nb::call_guard<nb::gil_scoped_release>());
  m.def("stop_runtime", &stop_runtime, nb::call_guard<nb::gil_scoped_release>());
  m.def("cancel_submissions", &cancel_submissions, nb::call_guard<nb::gil_scoped_release>());
  m.def("runtime_workers", &runtime_workers, nb::call_guard<nb::gil_scoped_release>());
  m.def(
      "without_runtime_options",
      [](std::vector<std::string> arguments) {
        std::vector<char*> argv{arguments.emplace(arguments.begin())->data()}; // the program's name
        for (std::size_t i = 1; i < arguments.size(); ++i) argv.push_back(arguments[i].data());
        argv.push_back(nullptr);
        int argc = static_cast<int>(arguments.size());
        static_cast<void>(runtime_options::from_arguments(argc, argv.data()));
        return std::vector<std::string>(argv.begin() + 1, argv.begin() + argc);
      },
      "arguments"_a);
  m.def("runtime_statistics", [] {
    const auto s = statistics();
    nb::dict d;
    d["tasks_created"] = s.tasks_created;
    d["tasks_inlined"] = s.tasks_inlined;
    d["tasks_stolen"] = s.tasks_stolen;
    d["forks_promoted"] = s.forks_promoted;
    d["suspensions"] = s.suspensions;
    d["parks"] = s.parks;
    d["stacks"] = s.stacks;
    return d;
  });
  m.def("forget_after_fork", &forget_after_fork);
  bind_counters(m);
  bind_programs(m);
  bind_tuning(m);
  bind_prediction(m);
  bind_localities(m);

  m.def("take_output", &output);
  m.def("take_completions", &completions);
  m.def("wait_for_events", &wait_for_events, nb::call_guard<nb::gil_scoped_release>());
  m.def("close_events", &close_events);
  m.def("usable_cores", &usable_cores);
  m.def("machine", [] {
    const machine_info info = describe_machine();
    nb::dict d;
    d["cpu"] = info.processor;
    d["packages"] = info.packages;
    d["cores"] = info.cores;
    d["hardware threads"] = info.processing_units;
    d["usable cores"] = info.usable_cores;
    d["numa domains"] = info.numa_domains;
    d["l1d KiB"] = info.l1d_bytes >> 10;
    d["l2 KiB"] = info.l2_bytes >> 10;
    d["l3 KiB"] = info.l3_bytes >> 10;
    d["memory GiB"] = static_cast<double>(info.memory_bytes >> 20) / 1024;
    return d;
  });
  m.def("mappings", [] { return names_up_to(mapping::numa_balanced_mtp); });
  m.def("scheduling_policies", [] { return names_up_to(scheduling::critical_path); });
  m.def("parse_pools", [](const std::string& text) { // by name
    const pools described(text);
    refuse_own_threads(described.list());
    std::vector<std::pair<std::string, unsigned>> workers;
    for (const pool& one : described.list()) workers.emplace_back(one.name, one.workers);
    return workers;
  });
  m.def("map_workers", [](const std::string& machine, const std::string& distances, const std::string& how,
                          const std::vector<unsigned>& pools) {
    const topology read = read_machine(machine, distances);
    nb::list units;
    for (const processing_unit& u : read.units)
      units.append(nb::make_tuple(u.os_index, u.thread, u.core, u.cache, u.domain, u.package));
    nb::dict d;
    d["units"] = units;
    d["domains"] = read.domains;
    d["distances"] = read.distances;
    d["pools"] = map_workers(read, mapping_from_name(how), pools);
    return d;
  });
  m.def("build_info", [] {
    nb::dict d;
    d["version"] = TREADLE_VERSION;
    d["compiler"] = TREADLE_COMPILER;
    d["build_type"] = TREADLE_BUILD_TYPE;
    return d;
  });
}

} // namespace treadle::python
