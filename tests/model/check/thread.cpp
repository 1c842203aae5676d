#include "model/check/thread.hpp"

#include "model/check/execution.hpp"

namespace treadle::check {

thread::thread(std::function<void()> body) : m_id(execution::current()->start(std::move(body))) {}
void thread::join(const std::source_location& at) { execution::current()->join(m_id, at); }

unsigned this_thread() { return execution::current()->thread(); }

void in_parallel(const std::vector<std::function<void()>>& bodies) {
  std::vector<thread> threads;
  for (const auto& body : bodies) threads.emplace_back(body);
  for (thread& t : threads) t.join();
}

void fence(detail::order o, const std::source_location& at) {
  execution& e = *execution::current();
  e.step();
  e.state.fence(e.thread(), o);
  e.note({e.thread(), "fence", at, o});
}

void require(bool condition, const char* what, const std::source_location& at) {
  if (!condition) execution::current()->fail(std::string("not so: ") + what, at);
}

} // namespace treadle::check
