#include "observe/hardware_events.hpp"

#if __has_include(<papi.h>)

#include <dlfcn.h>
#include <papi.h>
#include <pthread.h>

#include <algorithm>
#include <type_traits>

namespace treadle::detail {
namespace {

/// The functions of libpapi that are used. Loaded when asked for: programs need not have it, nor spend the milliseconds
/// it takes to start.
struct papi_library {
  decltype(&PAPI_library_init) library_init;
  decltype(&PAPI_thread_init) thread_init;
  decltype(&PAPI_strerror) strerror;
  decltype(&PAPI_event_name_to_code) event_name_to_code;
  decltype(&PAPI_get_event_component) get_event_component;
  decltype(&PAPI_get_component_info) get_component_info;
  decltype(&PAPI_create_eventset) create_eventset;
  decltype(&PAPI_assign_eventset_component) assign_eventset_component;
  decltype(&PAPI_attach) attach;
  decltype(&PAPI_query_event) query_event;
  decltype(&PAPI_add_event) add_event;
  decltype(&PAPI_remove_event) remove_event;
  decltype(&PAPI_start) start;
  decltype(&PAPI_stop) stop;
  decltype(&PAPI_read) read;
  decltype(&PAPI_cleanup_eventset) cleanup_eventset;
  decltype(&PAPI_destroy_eventset) destroy_eventset;

  papi_library() {
    const std::string file = "libpapi.so." + std::to_string(PAPI_VERSION_MAJOR(PAPI_VERSION)) + '.' +
                             std::to_string(PAPI_VERSION_MINOR(PAPI_VERSION));
    void* const library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!library) throw no_hardware_event(file + " is not installed");
    const auto load = [&](auto& function, const char* name) {
      function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, name));
      if (!function) throw no_hardware_event(file + " has no " + name);
    };
    load(library_init, "PAPI_library_init");
    load(thread_init, "PAPI_thread_init");
    load(strerror, "PAPI_strerror");
    load(event_name_to_code, "PAPI_event_name_to_code");
    load(get_event_component, "PAPI_get_event_component");
    load(get_component_info, "PAPI_get_component_info");
    load(create_eventset, "PAPI_create_eventset");
    load(assign_eventset_component, "PAPI_assign_eventset_component");
    load(attach, "PAPI_attach");
    load(query_event, "PAPI_query_event");
    load(add_event, "PAPI_add_event");
    load(remove_event, "PAPI_remove_event");
    load(start, "PAPI_start");
    load(stop, "PAPI_stop");
    load(read, "PAPI_read");
    load(cleanup_eventset, "PAPI_cleanup_eventset");
    load(destroy_eventset, "PAPI_destroy_eventset");
    if (library_init(PAPI_VER_CURRENT) != PAPI_VER_CURRENT) throw no_hardware_event(file + " cannot be initialized");
    check(thread_init([] { return static_cast<unsigned long>(pthread_self()); }), "PAPI_thread_init");
  }

  void check(int result, const char* what) const {
    if (result != PAPI_OK) throw no_hardware_event(std::string(what) + ": " + strerror(result));
  }
};

/// Throws `no_hardware_event`, each time for the same reason.
const papi_library& papi() {
  static std::string reason;
  static const papi_library* const loaded = []() -> const papi_library* {
    try {
      return new papi_library;
    } catch (const std::exception& e) {
      reason = e.what();
      return nullptr;
    }
  }();
  if (!loaded) throw no_hardware_event(reason);
  return *loaded;
}

} // namespace

hardware_event hardware_event::find(const std::string& name) {
  const papi_library& p = papi();
  hardware_event found{};
  p.check(p.event_name_to_code(name.c_str(), &found.code), name.c_str());
  found.component = p.get_event_component(found.code);
  const auto* component = p.get_component_info(found.component);
  if (component && component->disabled != PAPI_OK)
    throw no_hardware_event(std::string(component->name) + ": " + component->disabled_reason);
  p.check(p.query_event(found.code), name.c_str());
  return found;
}

thread_events::thread_events(int thread_id, int component) {
  const papi_library& p = papi();
  p.check(p.create_eventset(&m_set), "PAPI_create_eventset");
  int result = p.assign_eventset_component(m_set, component);
  if (result == PAPI_OK) result = p.attach(m_set, static_cast<unsigned long>(thread_id));
  if (result == PAPI_OK) return;
  p.destroy_eventset(&m_set);
  p.check(result, "PAPI_attach");
}

thread_events::~thread_events() { // the thread may be gone, and what is said of that
  std::vector<long long> values(m_events.size());
  papi().stop(m_set, values.data());
  papi().cleanup_eventset(m_set);
  papi().destroy_eventset(&m_set);
}

void thread_events::require(int event) {
  papi().check(papi().add_event(m_set, event), "PAPI_add_event");
  papi().remove_event(m_set, event);
}

double thread_events::count(int event) {
  auto found = std::find(m_events.begin(), m_events.end(), event);
  if (found == m_events.end()) {
    add(event);
    found = m_events.end() - 1;
  }
  if (!m_runs) throw no_hardware_event("its set of events cannot be started again");
  std::vector<long long> values(m_events.size());
  papi().check(papi().read(m_set, values.data()), "PAPI_read");
  const auto i = static_cast<std::size_t>(found - m_events.begin());
  return static_cast<double>(m_before[i] + values[i]);
}

void thread_events::add(int event) {
  const papi_library& p = papi();
  if (m_runs) { // a set that runs cannot be changed; what it has counted so far is kept
    std::vector<long long> values(m_events.size());
    p.check(p.stop(m_set, values.data()), "PAPI_stop");
    for (std::size_t i = 0; i < values.size(); ++i) m_before[i] += values[i];
  }
  int result = p.add_event(m_set, event);
  if (result == PAPI_OK) {
    result = p.start(m_set); // it may be here that there is no room for it
    if (result != PAPI_OK) p.remove_event(m_set, event);
  }
  if (result == PAPI_OK) {
    m_events.push_back(event);
    m_before.push_back(0);
    m_runs = true;
    return;
  }
  m_runs = !m_events.empty() && p.start(m_set) == PAPI_OK;
  p.check(result, "PAPI_add_event");
}

} // namespace treadle::detail

#else

namespace treadle::detail {

hardware_event hardware_event::find(const std::string&) {
  throw no_hardware_event("Treadle was built without PAPI's header, papi.h");
}
thread_events::thread_events(int, int) {}
thread_events::~thread_events() = default;
double thread_events::count(int) { return 0; } // there are no events
void thread_events::add(int) {}

} // namespace treadle::detail

#endif
