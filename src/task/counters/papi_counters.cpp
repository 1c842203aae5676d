#include "task/counters/papi_counters.hpp"

#include "base/fork.hpp"
#include "observe/counter_type.hpp"
#include "observe/hardware_events.hpp"
#include "task/counters/worker_instances.hpp"

#include <ctime>
#include <map>
#include <mutex>
#include <tuple>

#include <sys/syscall.h>
#include <unistd.h>

namespace treadle::detail {
namespace {

/// By runtime, thread and component. Ids of threads are used again, those of runtimes are not.
struct counted_threads {
  using key = std::tuple<std::uint64_t, int, int>;

  fork_safe_mutex mutex;
  std::map<key, thread_events> threads;

  double count(std::uint64_t runtime, int thread, hardware_event event) {
    const key wanted{runtime, thread, event.component};
    auto found = threads.find(wanted);
    if (found == threads.end()) {
      std::erase_if(threads, [](const auto& one) { return !exists(std::get<1>(one.first)); });
      found = threads.try_emplace(wanted, thread, event.component).first;
    }
    return found->second.count(event.code);
  }
  static bool exists(int thread) { return syscall(SYS_tgkill, getpid(), thread, 0) == 0; }
};
counted_threads& counted() {
  static auto* all = new counted_threads; // never destroyed: readers may be static objects
  return *all;
}

void require_event(const std::string& name) {
  std::lock_guard guard(counted().mutex);
  const auto event = hardware_event::find(name);
  thread_events(static_cast<int>(gettid()), event.component).require(event.code);
}

hardware_event find_event(const std::string& name) {
  std::lock_guard guard(counted().mutex);
  return hardware_event::find(name);
}

struct event_sum {
  const worker_instance which;
  const hardware_event event;
  counter_sample sample = {};
  bool found = false;
  bool too_early = false; // a worker has not started yet
  std::string problem = {};

  void add(const pool_list& pools) {
    std::lock_guard guard(counted().mutex);
    sample.epoch = pools.front()->serial;
    for (const auto& pool : pools) {
      for (const auto& w : pool->workers) {
        if (!which.has(*pool, *w)) continue;
        const int thread = w->thread_id.load(order::relaxed);
        if (thread == 0) {
          too_early = true;
          throw no_hardware_event("worker-thread#" + std::to_string(w->number()) + " does not run yet");
        }
        sample.value += counted().count(sample.epoch, thread, event);
        found = true;
      }
    }
  }
};

event_sum sum_up(const std::string& event, const std::string& instance) {
  event_sum sum{worker_instance::parse(instance), find_event(event)};
  const bool runs = visit_pools([&](const pool_list& pools) {
    try {
      sum.add(pools);
    } catch (const std::exception& e) {
      sum.problem = e.what();
    }
  });
  if (!runs)
    sum.problem = "no runtime is running";
  else if (!sum.found && sum.problem.empty())
    sum.problem = "there is no '" + instance + "' at the moment";
  return sum;
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

  bool needs_naming() const override { return true; } // there is room for a few of them at the same time
  /// None where the event cannot be counted, so that patterns do not match it. Its own name says why.
  std::vector<std::string> instances() const override {
    try {
      require_event(counter());
      return worker_instance::all();
    } catch (const no_hardware_event&) {
      return {};
    }
  }
  counter_sample read(const std::string& instance, const std::string& parameters) const override {
    const std::string event = event_of(parameters);
    if (event.empty()) throw no_hardware_event("counter '" + about().name + "': its event is missing, after an @");
    std::string problem;
    try {
      const event_sum sum = sum_up(event, instance);
      if (sum.problem.empty()) return sum.sample;
      problem = sum.problem;
    } catch (const no_hardware_event& e) {
      problem = e.what();
    }
    throw no_hardware_event("counter '" + about().name + "': not available here: " + problem);
  }
  void begin(const std::string& instance, const std::string& parameters) const override {
    try {
      const std::string event = event_of(parameters);
      for (int i = 0; i < 1000 && sum_up(event, instance).too_early; ++i) { // a runtime that was started just now
        const timespec moment{0, 1'000'000};
        nanosleep(&moment, nullptr);
      }
    } catch (const no_hardware_event&) {
    }
  }

 private:
  std::string event_of(const std::string& parameters) const { return counter() == "event" ? parameters : counter(); }
};

} // namespace

void publish_papi_counters() {
  for (const event_row& row : k_events) add_counter_type(std::make_shared<papi_counter_type>(row));
}

} // namespace treadle::detail
