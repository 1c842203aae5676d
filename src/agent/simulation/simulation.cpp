#include "agent/simulation/simulation.hpp"

#include "agent/sharing.hpp"
#include "agent/simulation/program_steps.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <queue>
#include <stdexcept>
#include <tuple>
#include <utility>

namespace treadle::agent {
namespace {

class simulation {
 public:
  explicit simulation(const scenario& s) : m_is(s), m_cores(s.machine, s.programs.size()) {
    for (std::size_t i = 0; i < s.programs.size(); ++i) {
      m_programs.push_back({program_steps(s.programs[i], s.noise, s.iteration_noise, s.seed * 1000 + i), {}, {}});
      if (!s.sequential || i == 0) add(s.programs[i].start_s, event::starts, i);
    }
    m_found.programs.resize(s.programs.size());
    find_pair();
    add(0, event::period, 0);
  }

  simulated_run run() {
    while (m_left > 0) {
      const std::optional<double> end = m_cores.next_end_s();
      if (end && (m_events.empty() || *end < m_events.top().at_s)) {
        watch_queue(*end);
        const std::size_t p = m_cores.end_next();
        carry_out(p, steps(p).task_ended());
      } else {
        const event next = m_events.top();
        m_events.pop();
        watch_queue(next.at_s);
        m_cores.advance(next.at_s);
        see(next);
      }
    }
    m_found.ends_s = m_cores.now_s();
    m_found.mean_off = m_watched_s > 0 ? m_off_s / m_watched_s : 0;
    return std::move(m_found);
  }

 private:
  struct event {
    double at_s;
    std::size_t number;
    enum sort : unsigned char { starts, looks, rested, period, decides } what;
    std::size_t program;
    bool operator>(const event& other) const noexcept {
      return std::tie(at_s, number) > std::tie(other.at_s, other.number);
    }
  };
  struct one_program {
    program_steps steps;
    double granted_s = 0; // workers times seconds since the last sample
    double used_s = 0;    // until then
    bool was_idle = false;
  };
  static constexpr double k_event_s = 0.001; // from what happens to the decision
  static constexpr unsigned k_idle_periods = 10'000;

  program_steps& steps(std::size_t p) { return m_programs[p].steps; }
  void add(double at_s, event::sort what, std::size_t program) { m_events.push({at_s, m_number++, what, program}); }
  double period_s() const { return m_is.agent ? m_is.agent->period_s : settings{}.period_s; }

  void see(const event& e) {
    const std::size_t p = e.program;
    switch (e.what) {
    case event::starts:
      m_order.push_back(p);
      m_found.programs[p].begins_s = m_cores.now_s();
      carry_out(p, steps(p).start(m_is.programs[p].workers));
      return decide_soon();
    case event::looks:
      return carry_out(p, steps(p).look());
    case event::rested:
      return carry_out(p, steps(p).rest_ended());
    case event::period:
      if (++m_quiet_periods > k_idle_periods)
        throw std::runtime_error("after " + std::to_string(m_cores.now_s()) + " s no program goes on any more");
      if (m_is.agent) decide(true);
      note_moment();
      return add(m_cores.now_s() + period_s(), event::period, 0);
    case event::decides:
      m_will_decide = false;
      return decide(false);
    }
  }

  void carry_out(std::size_t p, const program_steps::begins& b) {
    for (const double work_s : b.work_s) m_cores.begin(p, work_s);
    for (const double after_s : b.looks_s) add(m_cores.now_s() + after_s, event::looks, p);
    if (b.rests) add(m_cores.now_s() + m_is.programs[p].rest_s, event::rested, p);
    if (!b.work_s.empty()) m_quiet_periods = 0;
    if (b.made_item) {
      m_found.programs[p].iteration_ends_s.push_back(m_cores.now_s());
      if (p == m_producer && m_consumer) carry_out(*m_consumer, steps(*m_consumer).item_made(steps(p).finished()));
      if (steps(p).has_ended()) end(p);
    }
    if (m_programs[p].was_idle != steps(p).is_idle()) {
      m_programs[p].was_idle = steps(p).is_idle();
      decide_soon();
    }
  }

  void end(std::size_t p) {
    --m_left;
    m_found.programs[p].ends_s = m_cores.now_s();
    m_found.programs[p].used_s = m_cores.used_s(p);
    std::erase(m_order, p);
    if (m_is.sequential && p + 1 < m_is.programs.size()) add(m_cores.now_s(), event::starts, p + 1);
    decide_soon();
  }

  void decide_soon() {
    if (!m_is.agent || !m_is.on_events || std::exchange(m_will_decide, true)) return;
    add(m_cores.now_s() + k_event_s, event::decides, 0);
  }

  program_view view_of(std::size_t p) {
    const simulated_program& is = m_is.programs[p];
    program_view v = agent::view_of(std::to_string(p), is.name, is.workers, is.wish);
    v.is_idle = steps(p).is_idle();
    return v;
  }

  void count_grants() {
    const double seconds = m_cores.now_s() - std::exchange(m_counted_s, m_cores.now_s());
    for (const std::size_t p : m_order) m_programs[p].granted_s += seconds * steps(p).allowed();
  }

  void decide(bool is_sample) {
    count_grants();
    machine_view machine;
    machine.cores = m_is.agent->cores != 0 ? m_is.agent->cores : m_is.machine.hardware_threads;
    machine.turn = static_cast<std::uint64_t>(m_cores.now_s() / m_is.agent->turn_s);
    if (is_sample) machine.sample_s = m_cores.now_s() - std::exchange(m_sampled_s, m_cores.now_s());
    std::vector<program_view> views;
    for (const std::size_t p : m_order) {
      program_view& v = views.emplace_back(view_of(p));
      if (!is_sample) continue;
      v.progress = steps(p).progress();
      if (m_is.programs[p].tells_total) v.total = m_is.programs[p].iterations;
      const double granted_s = std::exchange(m_programs[p].granted_s, 0);
      v.granted = *machine.sample_s > 0 ? granted_s / *machine.sample_s : steps(p).allowed();
      v.used_s = m_cores.used_s(p) - std::exchange(m_programs[p].used_s, m_cores.used_s(p));
    }
    const std::vector<share> shares = m_sharing.decide(*m_is.agent, machine, views);
    unsigned threads = 0;
    const std::vector<std::size_t> order = m_order; // which ends of programs change
    for (std::size_t i = 0; i < order.size(); ++i) {
      carry_out(order[i], steps(order[i]).allow(shares[i].workers));
      threads += steps(order[i]).allowed();
    }
    m_found.most_threads = std::max(m_found.most_threads, threads);
  }

  void find_pair() {
    const auto wish = [&](std::size_t p) -> const core_wish& { return m_is.programs[p].wish; };
    for (std::size_t p = 0; p < m_is.programs.size() && !m_consumer; ++p) {
      if (wish(p).role != "producer") continue;
      m_producer = p;
      for (std::size_t c = 0; c < m_is.programs.size(); ++c)
        if (wish(c).role == "consumer" && wish(c).group == wish(p).group) m_consumer = c;
    }
    if (!m_consumer) return;
    const double of_agent = (m_is.agent ? *m_is.agent : settings{}).target;
    m_target = wish(*m_consumer).target > 0   ? wish(*m_consumer).target
               : wish(*m_producer).target > 0 ? wish(*m_producer).target
                                              : of_agent;
  }
  double queue() {
    return m_consumer ? std::max(steps(*m_producer).progress() - steps(*m_consumer).progress(), 0.0) : 0;
  }
  /// Until then nothing has changed.
  void watch_queue(double to_s) {
    if (!m_consumer) return;
    const double now = queue();
    m_found.longest_queue = std::max(m_found.longest_queue, now);
    m_found.longest_queue_bytes = m_found.longest_queue * m_is.programs[*m_producer].item_bytes;
    m_has_reached = m_has_reached || now >= m_target;
    const double left = m_is.programs[*m_producer].iterations - steps(*m_producer).progress();
    if (!m_has_reached || left < m_target) return;
    m_off_s += std::abs(now - m_target) * (to_s - m_cores.now_s());
    m_watched_s += to_s - m_cores.now_s();
  }
  void note_moment() {
    simulated_run::moment now{m_cores.now_s(), {}, queue()};
    for (auto& one : m_programs) now.workers.push_back(one.steps.is_here() ? one.steps.allowed() : 0);
    m_found.moments.push_back(std::move(now));
  }

  const scenario& m_is;
  shared_cores m_cores;
  std::vector<one_program> m_programs;
  std::vector<std::size_t> m_order; // those that are here, as they came
  std::size_t m_left = m_is.programs.size();
  std::priority_queue<event, std::vector<event>, std::greater<>> m_events;
  std::size_t m_number = 0;
  sharing m_sharing;
  bool m_will_decide = false;
  double m_counted_s = 0, m_sampled_s = 0;
  unsigned m_quiet_periods = 0;
  std::optional<std::size_t> m_producer, m_consumer;
  double m_target = 0, m_off_s = 0, m_watched_s = 0;
  bool m_has_reached = false;
  simulated_run m_found;
};

} // namespace

simulated_run simulate(const scenario& s) { return simulation(s).run(); }

nlohmann::json to_json(const simulated_run& r) {
  using nlohmann::json;
  json programs = json::array(), moments = json::array();
  for (const auto& p : r.programs)
    programs.push_back({{"begins_s", p.begins_s},
                        {"ends_s", p.ends_s},
                        {"used_s", p.used_s},
                        {"iteration_ends_s", p.iteration_ends_s}});
  for (const auto& m : r.moments) moments.push_back({{"at_s", m.at_s}, {"workers", m.workers}, {"queue", m.queue}});
  return {{"ends_s", r.ends_s},
          {"programs", programs},
          {"moments", moments},
          {"most_threads", r.most_threads},
          {"longest_queue", r.longest_queue},
          {"longest_queue_bytes", r.longest_queue_bytes},
          {"mean_off", r.mean_off}};
}

} // namespace treadle::agent
