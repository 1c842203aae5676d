#include <treadle/sim/exchange.hpp>

#include "base/rng.hpp"
#include "decide/coalescing.hpp"
#include "decide/coalescing_choices.hpp"
#include "decide/coalescing_start.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <queue>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace treadle::sim {
namespace {

constexpr double k_never = std::numeric_limits<double>::infinity();
constexpr double k_start_ns = 1e6; // later than any interval ago
constexpr double k_look_ns = 1000; // somebody looks so often for what has been held back for long enough
constexpr std::uint64_t k_first_look = 1024, k_next_look = 512; // at the choice, in parcels, about as senders do
constexpr std::uint64_t k_no_look = std::numeric_limits<std::uint64_t>::max();

struct parcel {
  bool is_answer;
  double asked_ns; ///< when its request was made
};

struct message {
  double arrives_ns;
  unsigned from;
  std::vector<parcel> parcels;
  bool operator<(const message& other) const noexcept { // the first on top of a heap
    return arrives_ns != other.arrives_ns ? arrives_ns > other.arrives_ns : from > other.from;
  }
};

/// What one locality sends to another.
struct outbox {
  decide::gathering gathers;
  std::vector<parcel> waiting;
  double bytes = 0;
  double read_ns = 0; ///< when the last message has been, or k_never: it is on its way
};

/// What a locality finds out at its beginning: spells of parcels with choices that are tried.
struct beginning {
  explicit beginning(const decide::coalescing_choices& among)
      : at(among.start()), next_look(among.is_open() ? k_first_look : k_no_look), tries(among) {}

  tune::arm at; ///< the choice in force
  std::uint64_t parcels = 0, next_look;
  decide::coalescing_start tries;
  decide::coalescing_start::spell seen; ///< since the last look
  double looked_ns = 0;
};

struct locality {
  locality(std::uint64_t seed, const decide::coalescing_choices& among) : random(seed), begins(among) {}

  double now_ns = k_start_ns, looked_ns = k_start_ns;
  std::uint64_t to_ask = 0, awaited = 0;
  double next_ns = k_never; ///< when its next step begins
  bool waits = false;       ///< until something arrives
  std::unordered_map<unsigned, outbox> to;
  std::vector<unsigned> holding; ///< where something waits
  std::vector<message> arrived;  ///< a heap
  detail::xorshift random;
  beginning begins;
};

class run {
 public:
  run(const exchange& what, const message_costs& costs, const coalescing& how)
      : m_what(what), m_costs(costs), m_choices(how), m_partners(std::min(what.partners, what.localities - 1)) {
    for (tune::arm at = 0; at < m_choices.over().size(); ++at) m_settings.push_back(m_choices.settings(at));
    for (unsigned i = 0; i < what.localities; ++i) m_all.emplace_back(what.seed * 1'000'003 + i, m_choices);
  }

  exchange_result result() {
    for (unsigned phase = 0; phase < m_what.phases; ++phase) {
      double begin_ns = 0; // all wait for all
      for (const locality& one : m_all) begin_ns = std::max(begin_ns, one.now_ns);
      for (unsigned i = 0; i < m_all.size(); ++i) {
        m_all[i].now_ns = begin_ns;
        m_all[i].to_ask = m_all[i].awaited = m_what.requests;
        go_on(i, begin_ns);
      }
      while (!m_steps.empty()) {
        const next_step next = m_steps.top();
        m_steps.pop();
        locality& one = m_all[next.who];
        if (next.at_ns != one.next_ns) continue; // something has arrived before that
        one.now_ns = std::exchange(one.next_ns, k_never);
        step(next.who);
      }
      for (const locality& one : m_all)
        if (one.awaited != 0) throw std::logic_error("exchange: an answer is lost");
    }
    double end_ns = k_start_ns;
    for (const locality& one : m_all) end_ns = std::max(end_ns, one.now_ns);
    const double spent_ns = (end_ns - k_start_ns) * static_cast<double>(m_all.size());
    m_result.seconds = (end_ns - k_start_ns) / 1e9;
    m_result.overhead = spent_ns > 0 ? 100 * m_overhead_ns / spent_ns : 0;
    if (m_answers > 0) m_result.answer_ns = m_answers_ns / static_cast<double>(m_answers);
    return m_result;
  }

 private:
  struct next_step {
    double at_ns;
    unsigned who;
    bool operator<(const next_step& other) const noexcept { // the first on top
      return at_ns != other.at_ns ? at_ns > other.at_ns : who > other.who;
    }
  };

  /// It handles what has arrived, then makes a request, or lets everything leave and waits. Ends with a next step, with
  /// waiting for a message, or with the phase.
  void step(unsigned who) {
    locality& me = m_all[who];
    while (!me.arrived.empty() && me.arrived.front().arrives_ns <= me.now_ns) {
      std::pop_heap(me.arrived.begin(), me.arrived.end());
      const message one = std::move(me.arrived.back());
      me.arrived.pop_back();
      handle(who, one);
    }
    if (me.to_ask > 0) {
      me.now_ns += m_what.work_ns;
      if (me.now_ns - me.looked_ns >= k_look_ns) look(who);
      const unsigned other = (who + 1 + me.random.below(m_partners)) % m_what.localities;
      put(who, other, {false, me.now_ns});
      --me.to_ask;
      return go_on(who, me.now_ns);
    }
    for (const unsigned other : std::exchange(me.holding, {}))
      if (me.to[other].gathers.flush()) send(who, other);
    if (!me.arrived.empty()) go_on(who, std::max(me.now_ns, me.arrived.front().arrives_ns));
    me.waits = true;
  }

  void go_on(unsigned who, double at_ns) {
    m_all[who].waits = false;
    m_all[who].next_ns = at_ns;
    m_steps.push({at_ns, who});
  }

  void handle(unsigned who, const message& one) {
    locality& me = m_all[who];
    me.now_ns += m_costs.overhead_ns;
    m_overhead_ns += m_costs.overhead_ns;
    for (const parcel& each : one.parcels) {
      me.now_ns += m_costs.parcel_ns;
      if (each.is_answer) {
        m_answers_ns += me.now_ns - each.asked_ns;
        ++m_answers;
        --me.awaited;
      } else {
        put(who, one.from, {true, each.asked_ns});
      }
    }
    m_all[one.from].to[who].read_ns = me.now_ns;
  }

  void put(unsigned who, unsigned other, const parcel& one) {
    locality& me = m_all[who];
    outbox& box = me.to[other];
    me.now_ns += m_costs.parcel_ns;
    ++m_result.parcels;
    if (box.waiting.empty()) me.holding.push_back(other);
    box.waiting.push_back(one);
    const unsigned bytes = one.is_answer ? m_what.answer_bytes : m_what.request_bytes;
    box.bytes += bytes;
    ++me.begins.parcels;
    ++me.begins.seen.parcels;
    me.begins.seen.bytes += bytes;
    const auto now = [&] { return static_cast<std::int64_t>(me.now_ns); };
    if (box.gathers.put(m_settings[me.begins.at], one.is_answer, now, bytes,
                        [&] { return box.read_ns <= me.now_ns; })) {
      std::erase(me.holding, other);
      send(who, other);
    }
    if (me.begins.parcels >= me.begins.next_look) decide(me.begins, me.now_ns);
  }

  /// Tries what it takes to know where to begin, then keeps the best of that.
  void decide(beginning& of, double now_ns) const {
    of.seen.ns = now_ns - std::exchange(of.looked_ns, now_ns);
    of.seen.destinations = std::min(2 * m_partners, m_what.localities - 1); // who is asked, and who asks
    const decide::coalescing_start::spell seen = std::exchange(of.seen, {});
    const bool is_first = of.next_look == k_first_look;
    of.next_look += k_next_look;
    if (is_first) return;
    of.tries.add(seen);
    of.at = of.tries.at();
    if (!of.tries.is_over()) return;
    const std::vector<tuned_point> known = of.tries.measured();
    const auto faster = [](const tuned_point& a, const tuned_point& b) { return a.mean < b.mean; };
    of.at = std::min_element(known.begin(), known.end(), faster)->at;
    of.next_look = k_no_look;
  }

  /// What has been held back for long enough leaves.
  void look(unsigned who) {
    locality& me = m_all[who];
    me.looked_ns = me.now_ns;
    std::erase_if(me.holding, [&](unsigned other) {
      outbox& box = me.to[other];
      const bool leaves = box.gathers.look(m_settings[me.begins.at], static_cast<std::int64_t>(me.now_ns),
                                           [&] { return box.read_ns <= me.now_ns; });
      if (leaves) send(who, other);
      return leaves;
    });
  }

  void send(unsigned who, unsigned other) {
    locality& me = m_all[who];
    outbox& box = me.to[other];
    me.now_ns += m_costs.overhead_ns;
    m_overhead_ns += m_costs.overhead_ns;
    ++m_result.messages;
    ++me.begins.seen.messages;
    const double arrives_ns = me.now_ns + m_costs.latency_ns + m_costs.byte_ns * box.bytes;
    box.read_ns = k_never;
    box.bytes = 0;
    locality& receiver = m_all[other];
    receiver.arrived.push_back({arrives_ns, who, std::exchange(box.waiting, {})});
    std::push_heap(receiver.arrived.begin(), receiver.arrived.end());
    const double earliest_ns = std::max(receiver.now_ns, arrives_ns);
    if (receiver.waits && earliest_ns < receiver.next_ns) {
      go_on(other, earliest_ns);
      receiver.waits = true; // something may arrive earlier still
    }
  }

  const exchange m_what;
  const message_costs m_costs;
  const decide::coalescing_choices m_choices;
  std::vector<coalescing> m_settings; ///< of each choice
  const unsigned m_partners;
  std::vector<locality> m_all;
  std::priority_queue<next_step> m_steps;
  double m_overhead_ns = 0, m_answers_ns = 0;
  std::uint64_t m_answers = 0;
  exchange_result m_result;
};

void require(bool holds, const std::string& what) {
  if (!holds) throw std::invalid_argument("exchange: " + what);
}

} // namespace

exchange_result simulate(const exchange& what, const message_costs& costs, const coalescing& how) {
  constexpr unsigned k_most = 1U << 16U;
  require(what.localities >= 2 && what.localities <= k_most,
          "from 2 to " + std::to_string(k_most) + " localities, not " + std::to_string(what.localities));
  require(what.partners >= 1, "each locality asks 1 other at least");
  require(std::isfinite(what.work_ns) && what.work_ns >= 0, "work of 0 ns at least");
  for (const double one : {costs.latency_ns, costs.overhead_ns, costs.byte_ns, costs.parcel_ns})
    require(std::isfinite(one) && one >= 0, "costs of 0 ns at least");
  require(how.how != coalescing_kind::paper_adaptive, "nothing is searched for in simulated time");
  return run(what, costs, how).result();
}

std::vector<coalescing> choices(const coalescing& how) {
  const decide::coalescing_choices among(how);
  std::vector<coalescing> all;
  for (tune::arm at = 0; at < among.over().size(); ++at) all.push_back(among.settings(at));
  return all;
}

} // namespace treadle::sim
