#include "sim/simulator.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace treadle::sim {
namespace {

std::vector<unsigned> flat(const std::vector<std::vector<unsigned>>& places) {
  std::vector<unsigned> all;
  for (const auto& one : places) all.insert(all.end(), one.begin(), one.end());
  return all;
}

bool is_critical(const std::string& site, const std::vector<std::string>& marks) {
  return std::any_of(marks.begin(), marks.end(), [&](const std::string& m) { return site.find(m) != site.npos; });
}

} // namespace

simulator::simulator(const graph& program, const machine& on, const schedule& how, const std::vector<pool>& pools,
                     const std::vector<std::vector<unsigned>>& places, const cost_table& costs)
    : m_graph(program),
      m_how(how),
      m_costs(costs),
      m_pools(pools),
      m_cache_bytes(on.cache_bytes),
      m_processors(on, flat(places)),
      m_queues(pools, on, places, how.seed),
      m_inlining(how.inlining, program.sites().size(), costs, static_cast<unsigned>(flat(places).size())),
      m_random(how.seed ^ 0x5bd1e995),
      m_states(program.nodes().size()),
      m_idle(pools.size()),
      m_left(program.nodes().size()) {
  const auto named = [&](std::string_view name) {
    const auto found = std::find_if(pools.begin(), pools.end(), [&](const pool& one) { return one.name == name; });
    return static_cast<unsigned>(found - pools.begin());
  };
  const auto last = static_cast<unsigned>(pools.size()) - 1;
  const unsigned critical = named("critical"), normal = std::min(named("default"), last);
  for (unsigned p = 0; p < pools.size(); ++p) {
    m_found.pools.push_back(pools[p].name);
    for (const unsigned unit : places[p]) {
      m_idle[p].push_back(static_cast<int>(m_workers.size()));
      m_workers.push_back({.pool = p});
      m_found.workers.push_back({.pool = p, .unit = unit});
    }
  }
  m_found.pool_waits.resize(pools.size());
  std::vector<char> is_marked;
  for (const std::string& site : program.sites()) is_marked.push_back(is_critical(site, how.critical));
  for (std::size_t n = 0; n < m_states.size(); ++n) {
    const graph::node& one = program.nodes()[n];
    node_state& made = m_states[n];
    made.critical = is_marked[static_cast<std::size_t>(one.site)] != 0;
    made.pool = made.critical && critical <= last ? critical : normal;
    made.missing = one.inputs + (one.how != node_sort::join);
  }
}

void simulator::begin() {
  for (int n = 0; n < static_cast<int>(m_states.size()); ++n) {
    const graph::node& one = node(n);
    if (one.how == node_sort::thread) {
      const int s = new_stack();
      stack_at(s).thread = static_cast<int>(m_workers.size());
      stack_at(s).frames.push_back({.node = n, .stretch = ++m_stretches});
      state(n).now = phase::started;
      m_workers.push_back({.outside = true, .running = s, .idle = false});
      add_event(static_cast<double>(one.release_ns), event::sort::goes_on, stack_at(s).thread);
    } else if (!one.has_maker && one.how != node_sort::join) {
      add_event(static_cast<double>(one.release_ns), event::sort::released, n);
    }
  }
}

void simulator::add_event(double after_ns, event::sort what, int who, std::uint32_t version) {
  m_events.push({m_now_ns + after_ns, what == event::sort::looks, m_event_number++, what, who, version});
}

void simulator::see(const event& one) {
  switch (one.what) {
  case event::sort::piece_ends:
    if (one.version != worker(one.who).version) return; // it goes at another speed by now
    end_piece(one.who);
    return go_on(one.who);
  case event::sort::goes_on:
    return go_on(one.who);
  case event::sort::looks:
    return look_for_work(one.who);
  case event::sort::released:
    return make(one.who, k_none);
  }
}

prediction simulator::run() {
  begin();
  while (!m_events.empty() && m_left > 0) {
    const event next = m_events.top();
    m_events.pop();
    m_now_ns = next.time_ns;
    see(next);
  }
  if (m_left > 0) {
    for (int n = 0; n < static_cast<int>(m_states.size()); ++n) {
      if (state(n).now == phase::ended || state(n).now == phase::started) continue;
      throw std::runtime_error("the simulated program cannot go on: " + std::to_string(m_left) +
                               " nodes have not ended, node " + std::to_string(n) + " (" +
                               m_graph.sites()[static_cast<std::size_t>(node(n).site)] + ") never starts");
    }
    throw std::runtime_error("the simulated program cannot go on: tasks wait for each other");
  }
  m_found.makespan_ns = m_now_ns;
  for (const auto& idle : m_idle)
    for (const int w : idle) count_looks_while_idle(w);
  for (prediction::worker& one : m_found.workers) one.idle_ns = std::max(0.0, m_now_ns - one.busy_ns - one.overhead_ns);
  return std::move(m_found);
}

} // namespace treadle::sim
