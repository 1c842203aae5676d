#include "model/check/variable.hpp"

#include "model/check/execution.hpp"

namespace treadle::check {
namespace {

execution& here() { return *execution::current(); }

} // namespace

bool is_exploring() noexcept { return execution::current() != nullptr; }

void variable::construct(std::uint64_t initial) {
  m_execution = here().id();
  m_location = here().state.add_location(here().thread(), initial);
}

void variable::destroy() noexcept {
  if (m_execution != here().id()) return;
  if (const char* wrong = here().state.destroy(here().thread(), m_location)) here().fail(wrong);
}

std::uint32_t variable::identify(std::uint64_t initial) {
  if (m_execution != here().id()) {
    m_execution = here().id();
    m_location = here().state.add_location(memory::k_nobody, initial);
  }
  return m_location;
}

std::uint32_t variable::open(std::uint64_t initial, where at) {
  here().step();
  here().access(identify(initial), at);
  return m_location;
}

std::uint64_t variable::load(std::uint64_t initial, order named, where at) {
  const order o = effective_order(operation::load, named, at);
  const std::uint32_t l = open(initial, at);
  execution& e = here();
  const std::uint32_t store = e.pick_store(e.state.oldest_readable(e.thread(), l, o), e.state.newest(l));
  e.state.read(e.thread(), l, store, o);
  e.note({e.thread(), "load", at, o, l, store});
  return e.state.value(l, store);
}

void variable::store(std::uint64_t initial, std::uint64_t value, order named, where at) {
  const order o = effective_order(operation::store, named, at);
  const std::uint32_t l = open(initial, at);
  execution& e = here();
  e.state.write(e.thread(), l, value, o, false);
  e.note({e.thread(), "store", at, o, l, event::k_none, e.state.newest(l)});
}

std::uint64_t variable::replace(std::uint32_t l, std::uint64_t value, order o, where at, const char* name) {
  execution& e = here();
  const std::uint32_t old = e.state.newest(l);
  e.state.read(e.thread(), l, old, o);
  e.state.write(e.thread(), l, value, o, true);
  e.note({e.thread(), name, at, o, l, old, old + 1});
  return e.state.value(l, old);
}

std::uint64_t variable::exchange(std::uint64_t initial, std::uint64_t value, order named, where at) {
  const order o = effective_order(operation::exchange, named, at);
  return replace(open(initial, at), value, o, at, "exchange");
}

std::uint64_t variable::fetch(std::uint64_t initial, std::uint64_t (*change)(std::uint64_t, std::uint64_t),
                              std::uint64_t argument, order named, where at, const char* name) {
  const order o = effective_order(operation::fetch, named, at);
  const std::uint32_t l = open(initial, at);
  return replace(l, change(here().state.value(l, here().state.newest(l)), argument), o, at, name);
}

bool variable::compare_exchange(std::uint64_t initial, std::uint64_t& expected, std::uint64_t desired, order success,
                                order failure, where at) {
  const order on_success = effective_order(operation::compare_exchange, success, at);
  const order on_failure = effective_order(operation::failed_exchange, failure, at);
  const std::uint32_t l = open(initial, at);
  execution& e = here();
  // It succeeds only on the newest store. It may fail because of any older one it could read that differs.
  const std::uint32_t newest = e.state.newest(l);
  const std::uint32_t oldest = e.state.oldest_readable(e.thread(), l, on_failure);
  std::uint32_t store = e.pick_store(oldest, newest);
  while (store != newest && e.state.value(l, store) == expected) ++store;
  if (e.state.value(l, store) == expected) {
    replace(l, desired, on_success, at, "compare_exchange");
    return true;
  }
  expected = e.state.value(l, store);
  e.state.read(e.thread(), l, store, on_failure);
  e.note({e.thread(), "failing compare_exchange", at, on_failure, l, store});
  return false;
}

void variable::wait(std::uint64_t initial, std::uint64_t expected, std::int64_t timeout_ns, where at) {
  const std::uint32_t l = open(initial, at);
  execution& e = here();
  // The kernel compares under the lock that wake() takes, so this is the newest value; it orders nothing else for us.
  e.state.catch_up(e.thread(), l);
  if (e.state.value(l, e.state.newest(l)) != expected) return;
  e.wait(this, l, timeout_ns < 0 ? execution::k_never : e.now_ns + timeout_ns, at);
}

void variable::wake(int count, where at) {
  here().step();
  here().wake(this, count, at);
}

} // namespace treadle::check
