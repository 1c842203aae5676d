#include "contention/simulated_cores.hpp"

#include "contention/lines.hpp"

#include <algorithm>
#include <map>
#include <stdexcept>

namespace treadle::contention {
namespace {

constexpr std::uintptr_t k_line_bytes = 64;
simulated_cores* g_current = nullptr;

std::uintptr_t line_of(const void* word) noexcept { return reinterpret_cast<std::uintptr_t>(word) / k_line_bytes; }

} // namespace

simulated_cores::simulated_cores(const machine_costs& costs) : m_costs(costs) { g_current = this; }
simulated_cores::~simulated_cores() { g_current = nullptr; }
simulated_cores* simulated_cores::current() noexcept {
  return g_current && g_current->m_core >= 0 ? g_current : nullptr;
}

void simulated_cores::add(std::function<void()> program) {
  if (m_cores.size() == k_cores_max) throw std::logic_error("too many simulated cores");
  m_cores.emplace_back().program = std::move(program);
}

void simulated_cores::core_main(detail::fiber& self, detail::fiber&) {
  simulated_cores& all = *g_current;
  all.here().program();
  all.here().ended = true;
  for (;;) self.switch_to(all.m_home, detail::thread_exceptions());
}

double simulated_cores::run() {
  for (std::size_t i = 0; i < m_cores.size(); ++i) {
    m_cores[i].stack = std::make_unique<detail::fiber>(128 * 1024, &core_main);
    schedule(static_cast<int>(i), 0);
  }
  double last = 0;
  while (!m_events.empty()) {
    const event next = m_events.top();
    m_events.pop();
    core_state& one = m_cores[static_cast<std::size_t>(next.core)];
    if (next.version != one.version || one.ended) continue;
    one.time = std::max(one.time, next.time);
    one.sleeps_on = nullptr;
    m_core = next.core;
    m_home.switch_to(*one.stack, detail::thread_exceptions());
    m_core = -1;
    if (one.ended) last = std::max(last, one.time);
  }
  if (std::any_of(m_cores.begin(), m_cores.end(), [](const core_state& c) { return !c.ended; }))
    throw std::logic_error("all cores that have not ended sleep");
  return last;
}

void simulated_cores::schedule(int core, double time) {
  m_events.push({time, ++m_order, ++m_cores[static_cast<std::size_t>(core)].version, core});
}

void simulated_cores::give_way() {
  core_state& me = here();
  if (m_events.empty() || m_events.top().time >= me.time) return; // perhaps an outdated event: no harm
  schedule(m_core, me.time);
  me.stack->switch_to(m_home, detail::thread_exceptions());
}

double simulated_cores::now() const noexcept { return m_cores[static_cast<std::size_t>(m_core)].time; }
void simulated_cores::spend(double ns) { here().time += ns; }

double simulated_cores::distance(int from) const noexcept {
  return from / m_costs.cores_of_domain == m_core / m_costs.cores_of_domain ? m_costs.near : m_costs.far;
}

void simulated_cores::waited(std::uintptr_t line, double ns) { m_waits[line] += ns; }

void simulated_cores::read(const void* word) {
  give_way();
  core_state& me = here();
  cache_line& l = m_lines[line_of(word)];
  const auto mine = static_cast<std::size_t>(m_core);
  if (l.owner == m_core || l.readers[mine]) {
    me.time += m_costs.hit;
    return;
  }
  const double begin = std::max(me.time, l.free_at);
  const double end = begin + (l.owner >= 0 ? distance(l.owner) : m_costs.near);
  l.free_at = begin + m_costs.line_busy;
  if (l.owner >= 0) l.readers.set(static_cast<std::size_t>(l.owner));
  l.owner = -1;
  l.readers.set(mine);
  waited(line_of(word), end - me.time);
  me.time = end;
}

void simulated_cores::write(const void* word) {
  give_way();
  core_state& me = here();
  cache_line& l = m_lines[line_of(word)];
  me.time += m_costs.hit;
  if (l.owner == m_core) return;
  l.free_at = std::max(me.time, l.free_at) + (l.owner >= 0 ? distance(l.owner) : m_costs.near);
  l.owner = m_core;
  l.readers.reset();
}

void simulated_cores::change(const void* word) {
  give_way();
  core_state& me = here();
  cache_line& l = m_lines[line_of(word)];
  if (l.owner != m_core) {
    const double end = std::max(me.time, l.free_at) + (l.owner >= 0 ? distance(l.owner) : m_costs.near);
    waited(line_of(word), end - me.time);
    me.time = end;
    l.owner = m_core;
    l.readers.reset();
  }
  me.time = std::max(me.time, l.free_at) + m_costs.exchange;
  l.free_at = me.time;
}

void simulated_cores::sleep(const void* word, std::int64_t timeout_ns) {
  core_state& me = here();
  me.time += m_costs.sleep;
  me.sleeps_on = word;
  ++me.version; // nothing wakes it but a wake or the time
  if (timeout_ns >= 0) schedule(m_core, me.time + static_cast<double>(timeout_ns));
  me.stack->switch_to(m_home, detail::thread_exceptions());
}

void simulated_cores::wake(const void* word, int count) {
  give_way();
  core_state& me = here();
  for (std::size_t i = 0; i < m_cores.size() && count > 0; ++i) {
    if (m_cores[i].sleeps_on != word) continue;
    m_cores[i].sleeps_on = nullptr;
    schedule(static_cast<int>(i), me.time + m_costs.woken);
    --count;
  }
  me.time += m_costs.wake;
}

void simulated_cores::name(const void* begin, std::size_t bytes, const std::string& as) {
  const auto address = reinterpret_cast<std::uintptr_t>(begin);
  m_names.push_back({address / k_line_bytes, (address + bytes - 1) / k_line_bytes, as});
}

std::vector<line_wait> simulated_cores::waits() const {
  std::map<std::string, double> by_name;
  for (const auto& [line, ns] : m_waits) {
    std::string name = "others";
    for (const named& one : m_names)
      if (one.begin <= line && line <= one.end) name = one.name;
    by_name[name] += ns;
  }
  std::vector<line_wait> all;
  for (const auto& [name, ns] : by_name) all.push_back({name, ns});
  std::sort(all.begin(), all.end(), [](const line_wait& a, const line_wait& b) { return a.ns > b.ns; });
  return all;
}

void read_line(const void* word) {
  if (auto* all = simulated_cores::current()) all->read(word);
}
void write_line(const void* word) {
  if (auto* all = simulated_cores::current()) all->write(word);
}
void change_line(const void* word) {
  if (auto* all = simulated_cores::current()) all->change(word);
}
void sleep_on(const void* word, std::int64_t timeout_ns) { simulated_cores::current()->sleep(word, timeout_ns); }
void wake_from(const void* word, int count) { simulated_cores::current()->wake(word, count); }

} // namespace treadle::contention
