#pragma once

#include <stdexcept>
#include <string>
#include <vector>

namespace treadle::detail {

/// Why the processor's events cannot be counted here.
class no_hardware_event : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// An event by PAPI's name of it. Loads libpapi when it is the first; throws no_hardware_event where that is not there,
/// the kernel does not let it count, or the processor does not know the event. Not for concurrent use.
struct hardware_event {
  int code;
  int component; ///< of PAPI: the processor, a GPU

  static hardware_event find(const std::string& name);
};

/// What one thread does to the events of one component, of which libpapi has one running set for each thread. Not for
/// concurrent use, also not that of different objects.
class thread_events {
 public:
  /// Throws no_hardware_event when events of the component cannot be counted by thread.
  thread_events(int thread_id, int component);
  ~thread_events();
  thread_events(const thread_events&) = delete;
  thread_events& operator=(const thread_events&) = delete;

  /// Throws no_hardware_event where this event is known and cannot be counted, as in a virtual machine whose processor
  /// shows no counters. Before any other is counted.
  void require(int event);
  /// How often the event occurred since it was asked for first. Throws no_hardware_event; other events go on.
  double count(int event);

 private:
  void add(int event);

  int m_set = -1; // PAPI_NULL
  bool m_runs = false;
  std::vector<int> m_events;
  std::vector<long long> m_before; // counted by earlier runs of the set, by event
};

} // namespace treadle::detail
