#include "distributed/exchanged_values.hpp"

#include <treadle/detail/own_locality.hpp>

#include <mutex>
#include <stdexcept>
#include <utility>

namespace treadle::distributed {

namespace {
std::string here() { return "locality " + std::to_string(detail::own_number.load(detail::order::relaxed)); }
[[noreturn]] void never(const std::string& why) { throw value_error(error_kind::program, why); }
} // namespace

std::uint64_t exchanged_values::begin_run(std::uint64_t program) {
  const std::lock_guard guard(m_lock);
  if (m_is_over) never("localities cannot exchange anything any more: treadle::physl::over_localities has gone");
  if (m_runs) never("another run that exchanges something with other localities is not over: one at a time");
  m_runs = true;
  m_program = program;
  m_changed.notify_all();
  return ++m_run;
}

void exchanged_values::end_run(std::uint64_t run, std::string why) noexcept {
  const std::lock_guard guard(m_lock);
  m_runs = false;
  if (!why.empty()) m_failed = {run, std::move(why)};
  m_changed.notify_all();
}

void exchanged_values::open() {
  const std::lock_guard guard(m_lock);
  if (std::exchange(m_was_opened, true))
    throw std::logic_error("array programs of this process are, or have been, over localities already");
  m_is_over = false; // other localities were without them
}

std::uint64_t exchanged_values::program() {
  const std::lock_guard guard(m_lock);
  return m_program;
}

void exchanged_values::close() {
  const std::lock_guard guard(m_lock);
  m_is_over = true;
  m_changed.notify_all();
}

void exchanged_values::give(operation at, std::string name, std::vector<std::byte> bytes) {
  const std::lock_guard guard(m_lock);
  m_given[at] = {m_program, std::move(name), std::move(bytes)};
  m_changed.notify_all();
}

void exchanged_values::passed(operation at) {
  const std::lock_guard guard(m_lock);
  m_given.erase(m_given.begin(), m_given.lower_bound(at));
}

std::vector<std::byte> exchanged_values::take(operation at, std::uint64_t program, const std::string& name) {
  std::unique_lock guard(m_lock);
  for (;;) {
    const auto found = m_given.find(at);
    const bool is_given = found != m_given.end();
    if ((is_given && found->second.program != program) || (at.run == m_run && m_program != program))
      never(here() + " runs another program than one that calls " + name + "()");
    if (is_given) {
      if (found->second.name != name)
        never(here() + " has called " + found->second.name + "() where another one calls " + name + "()");
      return found->second.bytes;
    }
    if (m_failed.first == at.run && at.run != 0) never("the program has failed in " + here() + ": " + m_failed.second);
    if (at.run < m_run || (at.run == m_run && !m_runs)) never(here() + " has ended this run without " + name + "()");
    if (m_is_over && at.run > m_run) never(here() + " has ended without " + name + "()");
    m_changed.wait(guard);
  }
}

} // namespace treadle::distributed
