#include "observe/process_counters.hpp"

#include "base/clock.hpp"
#include "observe/counter_type.hpp"

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
       })
    add_counter_type(std::make_shared<process_counter_type>(row));
}

} // namespace treadle::detail
