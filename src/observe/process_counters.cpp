#include "observe/process_counters.hpp"

#include "base/clock.hpp"
#include "observe/counter_type.hpp"
#include "observe/knob_list.hpp"
#include "observe/other_localities.hpp"
#include "observe/tuning_totals.hpp"

#include <treadle/detail/slab.hpp>

#include <cstdlib>
#include <fstream>
#include <stdexcept>

#include <unistd.h>

namespace treadle::detail {
namespace {

/// Of /proc/self/statm: 0 all of the address space, 1 what is in memory.
double process_bytes(int field) {
  std::ifstream file("/proc/self/statm");
  double pages = 0;
  for (int i = 0; i <= field; ++i) file >> pages;
  if (!file) throw std::runtime_error("cannot read /proc/self/statm");
  return pages * static_cast<double>(sysconf(_SC_PAGESIZE));
}

double uptime_s() {
  static const std::int64_t start_ns = steady_now_ns(); // published by the first runtime
  return static_cast<double>(steady_now_ns() - start_ns) * 1e-9;
}

double total(const atomic<std::uint64_t>& of) { return static_cast<double>(of.load(order::relaxed)); }

struct process_counter_row {
  counters::description about;
  double (*value)();
};

class process_counter_type final : public counter_type {
 public:
  explicit process_counter_type(const process_counter_row& row) : counter_type(row.about), m_value(row.value) {}

  std::vector<std::string> instances() const override { return {at_home("total")}; }
  counter_sample read(const std::string&, const std::string&) const override { return {.value = m_value()}; }

 private:
  double (*m_value)();
};

struct tuning_counter_row {
  counters::description about;
  atomic<std::uint64_t> tuning_costs::* value;
};

/// All decisions together, and of each kind.
class tuning_counter_type final : public counter_type {
 public:
  explicit tuning_counter_type(const tuning_counter_row& row) : counter_type(row.about), m_value(row.value) {}

  std::vector<std::string> instances() const override {
    std::vector<std::string> all{at_home("total")};
    for (const std::string_view kind : k_decision_kinds) all.push_back(at_home(kind));
    return all;
  }
  counter_sample read(const std::string& instance, const std::string&) const override {
    double sum = 0;
    for (std::size_t i = 0; i < std::size(k_decision_kinds); ++i)
      if (instance == at_home("total") || instance == at_home(k_decision_kinds[i]))
        sum += total(tuning_total.of[i].*m_value);
    return {.value = sum};
  }

 private:
  atomic<std::uint64_t> tuning_costs::* m_value;
};

/// Of every knob, by its name.
class knob_counter_type final : public counter_type {
 public:
  knob_counter_type()
      : counter_type({"/knobs/value", counters::kind::gauge, "", "The present value of a knob: /knobs{NAME}/value."}) {}

  std::vector<std::string> instances() const override {
    std::vector<std::string> names;
    for_each_knob([&](listed_knob& k) { names.emplace_back(k.knob_name()); });
    return names;
  }
  counter_sample read(const std::string& instance, const std::string&) const override {
    std::string text;
    for_each_knob([&](listed_knob& k) {
      if (k.knob_name() == instance) text = k.knob_value();
    });
    char* end = nullptr;
    const double value = std::strtod(text.c_str(), &end);
    if (text.empty() || *end != '\0') throw std::runtime_error("knob '" + instance + "' has no number");
    return {.value = value};
  }
};

} // namespace

void publish_process_counters() {
  using counters::kind;
  uptime_s();
  for (const process_counter_row& row : {
           process_counter_row{{"/runtime/uptime", kind::elapsed, "s", "Time since the first runtime was started."},
                               &uptime_s},
           {{"/runtime/memory/virtual", kind::gauge, "bytes", "Address space of the process."},
            [] { return process_bytes(0); }},
           {{"/runtime/memory/resident", kind::gauge, "bytes", "Memory of the process."},
            [] { return process_bytes(1); }},
           {{"/runtime/memory/slab", kind::gauge, "bytes", "Memory that tasks and futures are allocated from."},
            [] { return static_cast<double>(slab_bytes()); }},
           {{"/rules/count/calls", kind::monotonic, "", "Calls of rules, by events and by the clock."},
            [] { return total(rule_total.calls); }},
           {{"/rules/count/failures", kind::monotonic, "",
             "Rules that have thrown an exception, and are not called any more."},
            [] { return total(rule_total.failures); }},
           {{"/rules/time/cumulative", kind::monotonic, "ns", "Time spent in rules."},
            [] { return total(rule_total.ns); }},
       })
    add_counter_type(std::make_shared<process_counter_type>(row));
  add_counter_type(std::make_shared<knob_counter_type>());
  for (const tuning_counter_row& row : {
           tuning_counter_row{{"/tuning/count/windows", kind::monotonic, "", "Measurements that decisions have used."},
                              &tuning_costs::windows},
           {{"/tuning/count/voids", kind::monotonic, "",
             "Measurements that said nothing: no time, no work, not a number."},
            &tuning_costs::voids},
           {{"/tuning/count/reopenings", kind::monotonic, "", "Searches that began again because costs had changed."},
            &tuning_costs::reopenings},
           {{"/tuning/time/cumulative", kind::monotonic, "ns", "Time spent to measure and to decide."},
            &tuning_costs::deciding_ns},
           {{"/tuning/time/exploring", kind::monotonic, "ns",
             "Time that tries took longer than the best that is known would have."},
            &tuning_costs::exploring_ns},
       })
    add_counter_type(std::make_shared<tuning_counter_type>(row));
}

} // namespace treadle::detail
