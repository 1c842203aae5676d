#include "task/engine/options.hpp"

#include "task/engine/concurrency_knob.hpp"
#include "task/engine/exit_report.hpp"
#include "task/engine/tunables.hpp"
#include "task/worker/task_fiber.hpp"
#include "topology/placement.hpp"

#include <treadle/tune/inlining.hpp>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string_view>

namespace treadle {

namespace {

constexpr std::size_t k_workers_max = 4096;
constexpr std::size_t k_stack_bytes_min = 2 * detail::k_stack_reserve_bytes; // of which tasks can use half
constexpr unsigned k_exit_deadline_ms_default = 2000;
constexpr std::size_t k_stack_bytes_max = std::size_t{1} << 32;
constexpr std::size_t k_stack_bytes_default = (detail::k_sanitized ? 1024 : 256) * 1024;

std::size_t parse(std::string_view name, std::string_view text, std::size_t min, std::size_t max) {
  std::size_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || value < min || value > max) {
    throw std::invalid_argument(std::string(name) + ": expected a number from " + std::to_string(min) + " to " +
                                std::to_string(max) + ", got '" + std::string(text) + "'");
  }
  return value;
}

constexpr std::string_view k_prefix = "--treadle:";

/// What is separated by ';'.
void append(std::vector<std::string>& list, std::string_view text) {
  for (std::size_t end = 0; !text.empty(); text.remove_prefix(std::min(end + 1, text.size()))) {
    end = std::min(text.find(';'), text.size());
    list.emplace_back(text.substr(0, end));
  }
}

/// "NAME=VALUE".
std::pair<std::string, std::string> parse_knob(std::string_view source, std::string_view text) {
  const std::size_t equals = text.find('=');
  if (equals == 0 || equals == text.npos)
    throw std::invalid_argument(std::string(source) + ": expected NAME=VALUE, got '" + std::string(text) + "'");
  return {std::string(text.substr(0, equals)), std::string(text.substr(equals + 1))};
}

void check_stack_bytes(const std::string& what, std::size_t bytes) {
  if (bytes < k_stack_bytes_min || bytes > k_stack_bytes_max)
    throw std::invalid_argument(what + ": expected " + std::to_string(k_stack_bytes_min) + " to " +
                                std::to_string(k_stack_bytes_max) + ", got " + std::to_string(bytes));
}

struct option {
  std::string_view name; ///< behind --treadle:
  const char* variable;
  const char* value; ///< what it stands for in messages; null when the option takes none
  bool (*is_set)(const runtime_options& options);
  /// `source` is the option or variable, for messages.
  void (*set)(runtime_options& options, std::string_view source, std::string_view text);
};

constexpr option k_options[] = {
    {"workers", "TREADLE_WORKERS", "N", [](const runtime_options& o) { return o.workers != 0; },
     [](runtime_options& o, std::string_view source, std::string_view text) {
       o.workers = static_cast<unsigned>(parse(source, text, 1, k_workers_max));
     }},
    {"stack-bytes", "TREADLE_STACK_BYTES", "N", [](const runtime_options& o) { return o.stack_bytes != 0; },
     [](runtime_options& o, std::string_view source, std::string_view text) {
       o.stack_bytes = parse(source, text, k_stack_bytes_min, k_stack_bytes_max);
     }},
    {"pools", "TREADLE_POOLS", "NAME:N,...", [](const runtime_options& o) { return !o.pools.empty(); },
     [](runtime_options& o, std::string_view source, std::string_view text) {
       try {
         o.pools = pools(text);
       } catch (const std::invalid_argument& e) {
         throw std::invalid_argument(std::string(source) + ": " + e.what());
       }
     }},
    {"oversubscribe", "TREADLE_OVERSUBSCRIBE", nullptr, [](const runtime_options& o) { return o.oversubscribe; },
     [](runtime_options& o, std::string_view source, std::string_view text) {
       o.oversubscribe = text.empty() || parse(source, text, 0, 1) != 0;
     }},
    {"bind", "TREADLE_BIND", "none|MAPPING", [](const runtime_options& o) { return !o.bind.empty(); },
     [](runtime_options& o, std::string_view source, std::string_view text) {
       static_cast<void>(detail::binding_from_name(text, source));
       o.bind = text;
     }},
    {"nudge", "TREADLE_NUDGE", "0", [](const runtime_options& o) { return !o.nudge; },
     [](runtime_options& o, std::string_view source, std::string_view text) {
       o.nudge = parse(source, text, 0, 1) != 0;
     }},
    {"print-counter", "TREADLE_PRINT_COUNTER", "NAME",
     [](const runtime_options& o) { return !o.print_counters.empty(); },
     [](runtime_options& o, std::string_view, std::string_view text) { append(o.print_counters, text); }},
    {"print-counter-interval", "TREADLE_PRINT_COUNTER_INTERVAL", "MS",
     [](const runtime_options& o) { return o.print_counter_interval_ms != 0; },
     [](runtime_options& o, std::string_view source, std::string_view text) {
       o.print_counter_interval_ms = static_cast<unsigned>(parse(source, text, 0, 86'400'000));
     }},
    {"print-counter-destination", "TREADLE_PRINT_COUNTER_DESTINATION", "stdout|stderr|none|FILE",
     [](const runtime_options& o) { return !o.print_counter_destination.empty(); },
     [](runtime_options& o, std::string_view, std::string_view text) { o.print_counter_destination = text; }},
    {"print-counter-format", "TREADLE_PRINT_COUNTER_FORMAT", "text|csv|json",
     [](const runtime_options& o) { return !o.print_counter_format.empty(); },
     [](runtime_options& o, std::string_view source, std::string_view text) {
       if (text != "text" && text != "csv" && text != "json")
         throw std::invalid_argument(std::string(source) + ": expected text, csv or json, got '" + std::string(text) +
                                     "'");
       o.print_counter_format = text;
     }},
    {"list-counters", "TREADLE_LIST_COUNTERS", nullptr, [](const runtime_options& o) { return o.list_counters; },
     [](runtime_options& o, std::string_view source, std::string_view text) {
       o.list_counters = text.empty() || parse(source, text, 0, 1) != 0;
     }},
    {"trace", "TREADLE_TRACE", "FILE.json|.pftrace|.dot|.txt|.csv|.tasks",
     [](const runtime_options& o) { return !o.trace_files.empty(); },
     [](runtime_options& o, std::string_view, std::string_view text) { append(o.trace_files, text); }},
    {"profile", "TREADLE_PROFILE", nullptr, [](const runtime_options& o) { return !o.profile_file.empty(); },
     [](runtime_options& o, std::string_view, std::string_view text) {
       if (text != "0") o.profile_file = text.empty() || text == "1" ? "stderr" : text;
     }},
    {"metrics", "TREADLE_METRICS", "FILE.sock", [](const runtime_options& o) { return !o.metrics_socket.empty(); },
     [](runtime_options& o, std::string_view, std::string_view text) { o.metrics_socket = text; }},
    {"inlining", "TREADLE_INLINING", "POLICY", [](const runtime_options& o) { return o.inlining.has_value(); },
     [](runtime_options& o, std::string_view source, std::string_view text) {
       try {
         o.inlining = inlining_policy_from_name(text);
       } catch (const std::invalid_argument& e) {
         throw std::invalid_argument(std::string(source) + ": " + e.what());
       }
     }},
    {"explain", "TREADLE_EXPLAIN", nullptr, [](const runtime_options& o) { return o.explain; },
     [](runtime_options& o, std::string_view source, std::string_view text) {
       o.explain = text.empty() || parse(source, text, 0, 1) != 0;
     }},
    {"remember", "TREADLE_REMEMBER", nullptr, [](const runtime_options& o) { return o.remember.has_value(); },
     [](runtime_options& o, std::string_view, std::string_view text) {
       if (text != "0") o.remember = text == "1" ? "" : text;
     }},
    {"exit-deadline", "TREADLE_EXIT_DEADLINE", "MS", [](const runtime_options& o) { return o.exit_deadline_ms != 0; },
     [](runtime_options& o, std::string_view source, std::string_view text) {
       o.exit_deadline_ms = static_cast<unsigned>(parse(source, text, 1, 86'400'000));
     }},
    {"knob", "TREADLE_KNOB", "NAME=VALUE", [](const runtime_options&) { return true; }, // see publish_knobs()
     [](runtime_options&, std::string_view source, std::string_view text) { parse_knob(source, text); }},
    {"list-knobs", "TREADLE_LIST_KNOBS", nullptr, [](const runtime_options& o) { return o.list_knobs; },
     [](runtime_options& o, std::string_view source, std::string_view text) {
       o.list_knobs = text.empty() || parse(source, text, 0, 1) != 0;
     }},
    {"trace-records", "TREADLE_TRACE_RECORDS", "N", [](const runtime_options& o) { return o.trace_records != 0; },
     [](runtime_options& o, std::string_view source, std::string_view text) {
       o.trace_records = parse(source, text, 1, std::size_t{1} << 26);
     }},
};

const option& find_option(std::string_view name) {
  std::string known;
  for (const option& one : k_options) {
    if (one.name == name) return one;
    known += (known.empty() ? "" : ", ") + std::string(k_prefix) + std::string(one.name) +
             (one.value ? "=" + std::string(one.value) : "");
  }
  throw std::invalid_argument("unknown option '" + std::string(k_prefix) + std::string(name) + "'; known: " + known);
}

struct given_option {
  const option* what;
  std::string source, text;
};

/// The option that `argument` is, if it is one of ours; `next` is what follows it, or null, and is taken when the value
/// is not behind '='.
std::optional<given_option> read_option(std::string_view argument, const char* next, bool& took_next) {
  took_next = false;
  if (!argument.starts_with(k_prefix)) return std::nullopt;
  const std::size_t equals = std::min(argument.find('='), argument.size());
  given_option given{nullptr, std::string(argument.substr(0, equals)), {}};
  given.what = &find_option(argument.substr(k_prefix.size(), equals - k_prefix.size()));
  if (equals != argument.size()) {
    given.text = argument.substr(equals + 1);
  } else if (given.what->value) {
    if (!next) throw std::invalid_argument(given.source + ": expected " + given.what->value + " behind it");
    given.text = next;
    took_next = true;
  }
  return given;
}

/// The options on the command line of this process, also where its main() does not pass them on.
std::vector<given_option> read_command_line() {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  std::vector<std::string> arguments;
  for (std::string one; std::getline(file, one, '\0');) arguments.push_back(std::move(one));
  std::vector<given_option> all;
  for (std::size_t i = 1; i < arguments.size(); ++i) {
    bool took_next = false;
    const char* next = i + 1 < arguments.size() ? arguments[i + 1].c_str() : nullptr;
    if (auto given = read_option(arguments[i], next, took_next)) all.push_back(std::move(*given));
    i += took_next;
  }
  return all;
}

} // namespace

runtime_options runtime_options::from_arguments(int& argc, char** argv) {
  runtime_options options;
  int kept = argc > 0 ? 1 : 0;
  for (int i = kept; i < argc; ++i) {
    bool took_next = false;
    if (const auto given = read_option(argv[i], i + 1 < argc ? argv[i + 1] : nullptr, took_next))
      given->what->set(options, given->source, given->text);
    else
      argv[kept++] = argv[i];
    i += took_next;
  }
  argc = kept;
  argv[argc] = nullptr;
  return options;
}

namespace detail {

namespace {

/// Never destroyed: a runtime may be started by destructors of static objects.
const std::vector<given_option>& command_line() {
  static const auto& given = *new std::vector<given_option>(read_command_line());
  return given;
}

listed_knob* const k_knobs[] = {&the_concurrency_knob,      &tunables::loop_chunk, &tunables::loop_worth_waking,
                                &tunables::loop_worthwhile, &tunables::nap,        &tunables::promotion_pause,
                                &tunables::search};

/// Names of the runtime's knobs are known; others may be those of a program's knobs that are still to come.
void give(const std::string& source, std::string_view text) {
  auto [name, value] = parse_knob(source, text);
  std::string known;
  bool is_known = !name.starts_with("runtime.");
  for (const listed_knob* one : k_knobs) {
    is_known |= one->knob_name() == name;
    known += (known.empty() ? "" : ", ") + std::string(one->knob_name());
  }
  if (!is_known) throw std::invalid_argument(source + ": no knob '" + name + "'; there are " + known);
  give_knob(source, std::move(name), std::move(value));
}

} // namespace

void publish_knobs() {
  static const std::vector<std::unique_ptr<knob_listing>> listings = [] {
    std::vector<std::string> variable;
    if (const char* text = std::getenv("TREADLE_KNOB")) append(variable, text);
    for (const std::string& one : variable) give("TREADLE_KNOB", one);
    for (const given_option& given : command_line())
      if (given.what->name == "knob") give(given.source, given.text);
    std::vector<std::unique_ptr<knob_listing>> made;
    for (listed_knob* one : k_knobs) made.push_back(std::make_unique<knob_listing>(*one));
    std::atexit([] { // those of the program may come at any time until then
      if (const std::string unknown = unknown_knobs(); !unknown.empty()) report_at_exit("treadle: " + unknown);
    });
    return made;
  }();
  static_cast<void>(listings);
}

runtime_options resolve(runtime_options options) {
  publish_knobs();
  const runtime_options by_program = options;
  for (const option& one : k_options) {
    if (one.is_set(by_program)) continue;
    bool on_command_line = false;
    for (const given_option& given : command_line()) {
      if (given.what != &one) continue;
      one.set(options, given.source, given.text);
      on_command_line = true;
    }
    if (on_command_line) continue;
    if (const char* text = std::getenv(one.variable); text && *text) one.set(options, one.variable, text);
  }
  if (options.exit_deadline_ms == 0) options.exit_deadline_ms = k_exit_deadline_ms_default;
  static_cast<void>(detail::binding_from_name(options.bind, "runtime_options::bind"));
  if (options.workers > k_workers_max) {
    throw std::invalid_argument("runtime_options::workers: at most " + std::to_string(k_workers_max));
  }
  if (options.stack_bytes == 0) options.stack_bytes = k_stack_bytes_default;
  check_stack_bytes("runtime_options::stack_bytes", options.stack_bytes);
  for (const pool& one : options.pools.list()) {
    if (one.stack_bytes != 0) check_stack_bytes("pool '" + one.name + "': stack_bytes", one.stack_bytes);
    if (one.workers > k_workers_max)
      throw std::invalid_argument("pool '" + one.name + "': at most " + std::to_string(k_workers_max) + " workers");
  }
  return options;
}

} // namespace detail

} // namespace treadle
