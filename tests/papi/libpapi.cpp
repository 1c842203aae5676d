// A libpapi for the tests: machines on which they run have no hardware counters, or others. It counts what
// fake_papi::count() tells it.
#include "papi/libpapi.hpp"

#include <papi.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <vector>

namespace {

struct event_set {
  int component = -1;
  unsigned long thread = 0;
  bool runs = false;
  std::vector<int> events;
  std::vector<long long> values;
};
std::map<int, event_set> sets;
int last_set = 0;

// Codes. Component 1 is one that the kernel does not allow.
enum event_code {
  k_instructions = 1,
  k_cycles,
  k_conflicting,
  k_no_room,
  k_absent,
  k_forbidden,
  k_of_package,
  k_hidden
};
bool attaching_is_possible(int component) { return component == 0; }

bool runs_another(const event_set& wanted) {
  for (const auto& [id, one] : sets)
    if (one.runs && one.thread == wanted.thread) return true;
  return false;
}

} // namespace

namespace fake_papi {

void count(long long n) {
  for (auto& [id, one] : sets)
    for (long long& value : one.values) value += one.runs ? n : 0;
}
std::size_t sets_alive() { return sets.size(); }

} // namespace fake_papi

extern "C" {

int PAPI_library_init(int version) { return version; }
int PAPI_thread_init(unsigned long (*)(void)) { return PAPI_OK; }
char* PAPI_strerror(int) {
  static char text[] = "fake error";
  return text;
}
int PAPI_event_name_to_code(const char* name, int* code) {
  *code = std::strcmp(name, "PAPI_TOT_INS") == 0   ? k_instructions
          : std::strcmp(name, "PAPI_TOT_CYC") == 0 ? k_cycles
          : std::strcmp(name, "PAPI_L3_TCM") == 0  ? k_conflicting
          : std::strcmp(name, "PAPI_L2_TCM") == 0  ? k_no_room
          : std::strcmp(name, "PAPI_L1_DCM") == 0  ? k_absent
          : std::strcmp(name, "PAPI_BR_MSP") == 0  ? k_hidden
          : std::strcmp(name, "gpu::WARPS") == 0   ? k_forbidden
          : std::strcmp(name, "rapl::JOULES") == 0 ? k_of_package
                                                   : 0;
  return *code != 0 ? PAPI_OK : PAPI_ENOEVNT;
}
int PAPI_get_event_component(int code) { return code == k_forbidden ? 1 : code == k_of_package ? 2 : 0; }
int PAPI_query_event(int code) { return code == k_absent ? PAPI_ENOEVNT : PAPI_OK; }
const PAPI_component_info_t* PAPI_get_component_info(int index) {
  static PAPI_component_info_t info[3];
  std::strcpy(info[1].name, "gpu");
  std::strcpy(info[1].disabled_reason, "there is none");
  info[1].disabled = PAPI_ECMP;
  return &info[index];
}
int PAPI_create_eventset(int* set) {
  sets[*set = ++last_set];
  return PAPI_OK;
}
int PAPI_assign_eventset_component(int set, int component) {
  sets.at(set).component = component;
  return PAPI_OK;
}
int PAPI_attach(int set, unsigned long thread) {
  if (!attaching_is_possible(sets.at(set).component)) return PAPI_ECMP;
  sets.at(set).thread = thread;
  return PAPI_OK;
}
int PAPI_add_event(int set, int code) {
  event_set& one = sets.at(set);
  if (one.runs) return PAPI_EISRUN;
  if (code == k_hidden) return PAPI_ENOEVNT;
  if (code == k_conflicting && !one.events.empty()) return PAPI_ECNFLCT;
  one.events.push_back(code);
  one.values.push_back(0);
  return PAPI_OK;
}
int PAPI_remove_event(int set, int code) {
  event_set& one = sets.at(set);
  if (one.runs) return PAPI_EISRUN;
  std::erase(one.events, code);
  one.values.resize(one.events.size());
  return PAPI_OK;
}
int PAPI_start(int set) {
  event_set& one = sets.at(set);
  if (std::find(one.events.begin(), one.events.end(), k_no_room) != one.events.end()) return PAPI_ECNFLCT;
  if (runs_another(one)) return PAPI_EISRUN;
  one.values.assign(one.events.size(), 0);
  one.runs = true;
  return PAPI_OK;
}
int PAPI_read(int set, long long* values) {
  const event_set& one = sets.at(set); // of one that does not run: its last values
  std::copy(one.values.begin(), one.values.end(), values);
  return PAPI_OK;
}
int PAPI_stop(int set, long long* values) {
  const int result = PAPI_read(set, values);
  sets.at(set).runs = false;
  return result;
}
int PAPI_cleanup_eventset(int set) {
  event_set& one = sets.at(set);
  if (one.runs) return PAPI_EISRUN;
  one.events.clear();
  one.values.clear();
  return PAPI_OK;
}
int PAPI_destroy_eventset(int* set) {
  if (!sets.at(*set).events.empty()) return PAPI_EINVAL;
  sets.erase(*set);
  *set = PAPI_NULL;
  return PAPI_OK;
}

} // extern "C"
