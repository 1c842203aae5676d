#include "observe/process_counters.hpp"

#include "base/clock.hpp"
#include "observe/counter_type.hpp"
#include "observe/tuning_totals.hpp"

#include <treadle/detail/slab.hpp>

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

  std::vector<std::string> instances() const override { return {"locality#0/total"}; }
  counter_sample read(const std::string&, const std::string&) const override { return {.value = m_value()}; }

 private:
  double (*m_value)();
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
           {{"/policies/count/calls", kind::monotonic, "", "Calls of policies, by events and by the clock."},
            [] { return total(tuning_total.policy_calls); }},
           {{"/policies/count/failures", kind::monotonic, "",
             "Policies that have thrown an exception, and are not called any more."},
            [] { return total(tuning_total.policy_failures); }},
           {{"/policies/time/cumulative", kind::monotonic, "ns", "Time spent in policies."},
            [] { return total(tuning_total.policy_ns); }},
           {{"/tuning/count/windows", kind::monotonic, "", "Measurements that sessions have used."},
            [] { return total(tuning_total.windows); }},
           {{"/tuning/count/voids", kind::monotonic, "",
             "Measurements that said nothing: no time, no work, not a number."},
            [] { return total(tuning_total.voids); }},
           {{"/tuning/count/reopenings", kind::monotonic, "", "Searches that began again because costs had changed."},
            [] { return total(tuning_total.epochs); }},
           {{"/tuning/time/cumulative", kind::monotonic, "ns",
             "Time that sessions spent to choose and to take in reports."},
            [] { return total(tuning_total.session_ns); }},
       })
    add_counter_type(std::make_shared<process_counter_type>(row));
}

} // namespace treadle::detail
