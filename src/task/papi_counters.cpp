#include "task/papi_counters.hpp"

#include "observe/counter_type.hpp"
#include "observe/hardware_events.hpp"
#include "task/worker_instances.hpp"

#include <ctime>
#include <map>
#include <mutex>
#include <stdexcept>
#include <utility>

namespace treadle::detail {
namespace {

/// Of the workers of one runtime at a time.
struct counted_threads {
  std::mutex mutex;
  std::uint64_t epoch = 0;
  std::map<int, thread_events> threads;
};
counted_threads& counted() {
  static auto* all = new counted_threads; // never destroyed: readers may be static objects
  return *all;
}

int event_code(const std::string& name) {
  std::lock_guard guard(counted().mutex);
  return hardware_event(name);
}

/// Its id, which it writes down itself as soon as it runs.
int thread_of(const worker& w) {
  for (int i = 0; i < 1000; ++i) {
    if (const int id = w.thread_id.load(order::relaxed)) return id;
    const timespec moment{0, 1'000'000};
    nanosleep(&moment, nullptr);
  }
  throw no_hardware_event("worker-thread#" + std::to_string(w.number()) + " does not run");
}

struct event_sum {
  const worker_instance which;
  const int event;
  counter_sample sample;
  bool found = false;
  std::string problem = {};

  void add(const pool_list& pools) {
    counted_threads& all = counted();
    std::lock_guard guard(all.mutex);
    sample.epoch = pools.front()->serial;
    if (std::exchange(all.epoch, sample.epoch) != sample.epoch) all.threads.clear();
    for (const auto& pool : pools) {
      for (const auto& w : pool->workers) {
        if (!which.has(*pool, *w)) continue;
        const int id = thread_of(*w);
        sample.value += all.threads.try_emplace(id, id).first->second.count(event);
        found = true;
      }
    }
  }
};

counter_sample count_event(const std::string& event, const std::string& instance) {
  event_sum sum{worker_instance::parse(instance), event_code(event), {}};
  const bool runs = visit_current_pools(
      [](void* argument, const pool_list& pools) {
        auto& s = *static_cast<event_sum*>(argument);
        try {
          s.add(pools);
        } catch (const std::exception& e) {
          s.problem = e.what();
        }
      },
      &sum);
  if (!sum.problem.empty()) throw no_hardware_event(sum.problem);
  if (!runs) throw no_hardware_event("no runtime is running");
  if (!sum.found) throw no_hardware_event("there is no '" + instance + "' at the moment");
  return sum.sample;
}

struct event_row {
  const char* name;
  const char* help;
};
constexpr event_row k_events[] = {
    {"PAPI_TOT_INS", "Instructions that were completed."},
    {"PAPI_TOT_CYC", "Cycles of the processor."},
    {"PAPI_REF_CYC", "Cycles of its reference clock."},
    {"PAPI_RES_STL", "Cycles that waited for any resource."},
    {"PAPI_LD_INS", "Loads."},
    {"PAPI_SR_INS", "Stores."},
    {"PAPI_BR_INS", "Branches."},
    {"PAPI_BR_MSP", "Branches that were mispredicted."},
    {"PAPI_L1_DCM", "Misses of data in the first cache."},
    {"PAPI_L1_ICM", "Misses of instructions in the first cache."},
    {"PAPI_L2_TCA", "Accesses to the second cache."},
    {"PAPI_L2_TCM", "Misses in the second cache."},
    {"PAPI_L2_DCM", "Misses of data in the second cache."},
    {"PAPI_L3_TCA", "Accesses to the third cache."},
    {"PAPI_L3_TCM", "Misses in the third cache."},
    {"PAPI_TLB_DM", "Misses of data in the translation buffer."},
    {"PAPI_DP_OPS", "Operations on doubles."},
    {"PAPI_VEC_DP", "Vector instructions on doubles."},
    {"event", "Any event of PAPI, preset or native, as in /papi/event@perf::CONTEXT-SWITCHES."},
};

class papi_counter_type final : public counter_type {
 public:
  explicit papi_counter_type(const event_row& row)
      : counter_type({std::string("/papi/") + row.name, counters::kind::monotonic, "",
                      std::string(row.help) + " Counted from when it is asked for."}) {}

  /// None where the event cannot be counted, so that patterns do not match it. Its own name says why.
  std::vector<std::string> instances() const override {
    try {
      event_code(counter());
      return worker_instance::all();
    } catch (const no_hardware_event&) {
      return {};
    }
  }
  counter_sample read(const std::string& instance, const std::string& parameters) const override {
    const std::string event = counter() == "event" ? parameters : counter();
    if (event.empty()) throw no_hardware_event("counter '" + about().name + "': its event is missing, after an @");
    try {
      return count_event(event, instance);
    } catch (const no_hardware_event& e) {
      throw no_hardware_event("counter '" + about().name + "': not available here: " + e.what());
    }
  }
  void begin(const std::string& instance, const std::string& parameters) const override {
    try {
      read(instance, parameters);
    } catch (const no_hardware_event&) {
    }
  }
};

} // namespace

void publish_papi_counters() {
  for (const event_row& row : k_events) add_counter_type(std::make_shared<papi_counter_type>(row));
}

} // namespace treadle::detail
