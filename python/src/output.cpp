// The queue between workers, which never take the GIL, and the Python thread that does what needs it.
#include "session.hpp"

#include <condition_variable>
#include <new>
#include <utility>

namespace treadle::python {
namespace {

struct events {
  std::mutex mutex;
  std::condition_variable arrived;
  std::vector<printed> output;
  std::vector<completion> completions;
  bool closed = false;
};
events& the_events() {
  static auto* e = new events; // never destroyed: a worker may still print while the process ends
  return *e;
}

} // namespace

void write_output(void*, std::string_view text) {
  auto& e = the_events();
  {
    std::lock_guard lock(e.mutex);
    if (e.output.empty() || !e.output.back().is_text) e.output.push_back({{}, {}, true});
    e.output.back().text += text;
  }
  e.arrived.notify_one();
}

void add_completion(completion done) {
  auto& e = the_events();
  {
    std::lock_guard lock(e.mutex);
    e.completions.push_back(std::move(done));
  }
  e.arrived.notify_one();
}

void print_values(void*, std::span<const value> values) {
  auto& e = the_events();
  {
    std::lock_guard lock(e.mutex);
    e.output.push_back({{}, {values.begin(), values.end()}, false});
  }
  e.arrived.notify_one();
}

std::vector<printed> take_output() {
  auto& e = the_events();
  std::lock_guard lock(e.mutex);
  return std::exchange(e.output, {});
}

std::vector<completion> take_completions() {
  auto& e = the_events();
  std::lock_guard lock(e.mutex);
  return std::exchange(e.completions, {});
}

bool wait_for_events() {
  auto& e = the_events();
  std::unique_lock lock(e.mutex);
  e.arrived.wait(lock, [&] { return e.closed || !e.output.empty() || !e.completions.empty(); });
  return !e.closed;
}

void forget_events_after_fork() noexcept {
  new (&the_events()) events; // what it held is the parent's, and threads of the parent may have been in the middle
}

void close_events() {
  auto& e = the_events();
  {
    std::lock_guard lock(e.mutex);
    e.closed = true;
  }
  e.arrived.notify_all();
}

} // namespace treadle::python
