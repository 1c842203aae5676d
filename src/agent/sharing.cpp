#include "agent/sharing.hpp"

#include "decide/boost.hpp"
#include "decide/efficiency_shares.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace treadle::agent {
namespace {

using decide::core_claim;
using nlohmann::json;

unsigned most_of(const program_view& p) noexcept { return p.most == 0 ? p.workers : std::min(p.most, p.workers); }

/// The paper's strategies know of no programs that have nothing to do: these keep what they have.
bool lends_of_idle(strategy how) noexcept {
  return how == strategy::weighted || how == strategy::producer_consumer_pi || how == strategy::efficiency;
}
bool has_pairs(strategy how) noexcept {
  return how == strategy::producer_consumer || how == strategy::producer_consumer_pi;
}

/// Calls visit(name in logs, field) for each that is always there.
template <class View, class Visit>
void visit_fields(View& p, Visit visit) {
  visit("program", p.program);
  visit("name", p.name);
  visit("group", p.group);
  visit("role", p.role);
  visit("workers", p.workers);
  visit("least", p.least);
  visit("most", p.most);
  visit("weight", p.weight);
  visit("target", p.target);
  visit("preferred", p.is_preferred);
  visit("idle", p.is_idle);
  visit("paused", p.is_paused);
  visit("silent", p.is_silent);
  visit("granted", p.granted);
  visit("used_s", p.used_s);
}

/// Where a number that a program said may be anything.
double finite(std::optional<double> value) noexcept {
  return value && std::isfinite(*value) ? std::clamp(*value, 0.0, 1e15) : 0;
}

std::string rounded(double value) {
  const double tenths = std::round(value * 10) / 10;
  json text = tenths == std::floor(tenths) ? json(static_cast<std::int64_t>(tenths)) : json(tenths);
  return text.dump();
}

} // namespace

/// Of programs that have ended.
void sharing::forget_others(std::span<const program_view> programs) {
  std::erase_if(m_programs, [&](const auto& one) {
    return std::none_of(programs.begin(), programs.end(), [&](const auto& p) { return p.program == one.first; });
  });
  std::erase_if(m_pairs, [&](const auto& one) {
    return std::none_of(programs.begin(), programs.end(), [&](const auto& p) { return p.program == one.first; });
  });
}

std::vector<sharing::unit> sharing::units_of(const settings& s, std::span<const program_view> programs) const {
  const auto takes_part = [&](const program_view& p) {
    return !p.is_paused && !p.is_silent && !(p.is_idle && lends_of_idle(s.how));
  };
  // The consumer of each producer: the first of its group that no other producer has.
  const std::size_t none = programs.size();
  std::vector<std::size_t> consumer(none, none);
  std::vector<bool> is_taken(none);
  for (std::size_t i = 0; i < none; ++i) {
    const program_view& p = programs[i];
    if (!has_pairs(s.how) || !takes_part(p) || p.group.empty() || p.role != "producer") continue;
    for (std::size_t k = 0; k < none && consumer[i] == none; ++k)
      if (!is_taken[k] && programs[k].group == p.group && programs[k].role == "consumer" && takes_part(programs[k]))
        is_taken[consumer[i] = k] = true;
  }
  std::vector<unit> units;
  for (std::size_t i = 0; i < none; ++i) {
    const program_view& p = programs[i];
    if (!takes_part(p) || is_taken[i]) continue;
    units.push_back({{i}, {p.least, most_of(p), p.weight, p.is_preferred}});
    if (consumer[i] == none) continue;
    const program_view& q = programs[consumer[i]];
    unit& both = units.back();
    both.members.push_back(consumer[i]);
    both.claim.least = std::max(p.least, 1u) + std::max(q.least, 1u);
    both.claim.most += most_of(q);
    both.claim.weight += q.weight;
  }
  return units;
}

decide::core_shares sharing::share_out(const settings& s, const machine_view& machine, std::span<const unit> units,
                                       std::span<const program_view> programs) const {
  std::vector<core_claim> claims;
  std::vector<unsigned> wanted, last;
  std::vector<decide::core_use> seen;
  for (const unit& one : units) {
    const program_view& first = programs[one.members.front()];
    claims.push_back(one.claim);
    const auto fixed = s.fixed.find(first.name);
    wanted.push_back(fixed == s.fixed.end() ? 0 : fixed->second);
    const auto found = m_programs.find(first.program);
    last.push_back(found == m_programs.end() ? 0 : found->second.cores);
    seen.push_back(found == m_programs.end() ? decide::core_use() : found->second.use);
  }
  switch (s.how) {
  case strategy::even:
    return decide::even(machine.cores, claims, machine.turn, s.granularity);
  case strategy::half_to_priority:
    return decide::half_to_preferred(machine.cores, claims, machine.turn, s.granularity);
  case strategy::stack:
    return decide::stack(machine.cores, claims);
  case strategy::fixed:
    return decide::fixed(machine.cores, claims, wanted);
  case strategy::efficiency:
    return decide::efficiency_shares(machine.cores, claims, seen, last, machine.turn);
  case strategy::weighted:
  case strategy::producer_consumer:
  case strategy::producer_consumer_pi:
    break;
  }
  return decide::weighted(machine.cores, claims, machine.turn);
}

unsigned sharing::producer_cores(const settings& s, const machine_view& machine, const program_view& producer,
                                 const program_view& consumer, unsigned cores) {
  pair& both = m_pairs[producer.program];
  const double produced = finite(producer.progress), consumed = finite(consumer.progress);
  const double queue = std::max(produced - consumed, 0.0);
  const double asked = consumer.target > 0 ? consumer.target : producer.target;
  const double target = asked > 0 ? asked : s.target;
  if (s.how == strategy::producer_consumer) {
    if (machine.sample_s) both.producer_cores = decide::proportional_producer_cores(cores, queue, target);
    return std::min(both.producer_cores, cores);
  }
  if (!machine.sample_s) return both.law.keep(cores);
  decide::producer_consumer::sample now{};
  now.seconds = *machine.sample_s;
  now.produced = std::max(produced - m_programs[producer.program].progress, 0.0);
  now.consumed = std::max(consumed - m_programs[consumer.program].progress, 0.0);
  now.producer_core_s = producer.used_s;
  now.consumer_core_s = consumer.used_s;
  now.queue = queue;
  if (producer.total) now.left = std::max(finite(producer.total) - produced, 0.0);
  return both.law.decide(cores, target, now);
}

unsigned sharing::threads_of(const settings& s, const program_view& p, unsigned cores, double in_proportion) const {
  switch (s.more) {
  case boost::none:
    return cores;
  case boost::constant:
    return decide::constant_boost(cores, s.boost_threads, most_of(p));
  case boost::linear:
    return decide::linear_boost(cores, s.boost_factor, most_of(p));
  case boost::adaptive:
    return decide::adaptive_boost(m_programs.at(p.program).use, cores, most_of(p));
  case boost::proportional:
    return decide::linear_boost(cores, in_proportion, most_of(p));
  }
  return cores;
}

std::vector<share> sharing::decide(const settings& s, const machine_view& machine,
                                   std::span<const program_view> programs) {
  forget_others(programs);
  for (const program_view& p : programs) {
    known& k = m_programs[p.program];
    if (!machine.sample_s || !(*machine.sample_s > 0)) continue;
    const auto threads = static_cast<unsigned>(std::lround(std::clamp(p.granted, 0.0, 1e6)));
    const double used = p.used_s / *machine.sample_s;
    k.use.observe(threads, used);
    if (s.how == strategy::efficiency) k.use.doubt_more_than(threads, used);
  }
  const std::vector<unit> units = units_of(s, programs);
  const decide::core_shares cores = share_out(s, machine, units, programs);
  std::vector<share> result(programs.size());
  double in_proportion = std::numeric_limits<double>::infinity();
  std::vector<std::size_t> given;
  const auto give = [&](std::size_t i, unsigned n, const std::string& reason) {
    m_programs[programs[i].program].cores = n;
    result[i] = {n, reason};
    given.push_back(i);
    if (n > 0) in_proportion = std::min(in_proportion, static_cast<double>(most_of(programs[i])) / n);
  };
  for (std::size_t i = 0; i < programs.size(); ++i) {
    if (programs[i].is_paused)
      result[i] = {0, "paused"};
    else // needs one worker to find something to do, and does not use it
      result[i] = {1, programs[i].is_silent ? "does not answer: others have its cores" : "idle: others have its cores"};
  }
  const std::string of_all = " of " + std::to_string(machine.cores) + " cores";
  for (std::size_t u = 0; u < units.size(); ++u) {
    const std::vector<std::size_t>& members = units[u].members;
    const program_view& first = programs[members.front()];
    std::string reason = std::string(name_of(s.how)) + ": " + std::to_string(cores[u]) + of_all;
    if (cores[u] == 0) reason += ", others have their turn";
    if (s.how == strategy::weighted && first.weight != 1) reason += ", weight " + rounded(first.weight);
    if (members.size() == 1) {
      give(members.front(), cores[u], reason);
      continue;
    }
    const program_view& second = programs[members.back()];
    const unsigned asked = producer_cores(s, machine, first, second, cores[u]);
    const unsigned produces = std::min(std::max(asked, cores[u] - std::min(cores[u], most_of(second))), most_of(first));
    reason += " for group '" + first.group + "' with " +
              rounded(std::max(finite(first.progress) - finite(second.progress), 0.0)) + " items between";
    give(members.front(), produces, reason);
    give(members.back(), cores[u] - produces, reason);
  }
  for (const std::size_t i : given) {
    const unsigned n = result[i].workers;
    result[i].workers = threads_of(s, programs[i], n, in_proportion);
    if (result[i].workers > n)
      result[i].reason += "; " + std::to_string(result[i].workers - n) + " threads more, to use them";
  }
  if (machine.sample_s)
    for (const program_view& p : programs) m_programs[p.program].progress = finite(p.progress);
  return result;
}

program_view view_of(std::string program, std::string name, unsigned workers, const core_wish& wish) {
  program_view v;
  v.program = std::move(program);
  v.name = std::move(name);
  v.workers = workers;
  v.group = wish.group;
  v.role = wish.role;
  v.least = wish.least;
  v.most = wish.most;
  v.weight = wish.weight;
  v.target = wish.target;
  v.is_preferred = wish.is_preferred;
  return v;
}

json to_json(const program_view& p) {
  json object;
  visit_fields(p, [&](const char* name, const auto& value) { object[name] = value; });
  if (p.progress) object["progress"] = *p.progress;
  if (p.total) object["total"] = *p.total;
  return object;
}
json to_json(const machine_view& m) {
  json object = {{"cores", m.cores}, {"turn", m.turn}};
  if (m.sample_s) object["sample_s"] = *m.sample_s;
  return object;
}
program_view program_from_json(const json& o) {
  program_view p;
  visit_fields(p, [&](const char* name, auto& value) { o.at(name).get_to(value); });
  if (o.contains("progress")) p.progress = o.at("progress").get<double>();
  if (o.contains("total")) p.total = o.at("total").get<double>();
  return p;
}
machine_view machine_from_json(const json& o) {
  machine_view m;
  o.at("cores").get_to(m.cores);
  o.at("turn").get_to(m.turn);
  if (o.contains("sample_s")) m.sample_s = o.at("sample_s").get<double>();
  return m;
}

json sharing::state() const {
  json programs = json::object(), pairs = json::object();
  for (const auto& [number, k] : m_programs)
    programs[number] = {{"use", k.use.of()}, {"progress", k.progress}, {"cores", k.cores}};
  for (const auto& [group, p] : m_pairs) {
    const auto& l = p.law.learned();
    pairs[group] = {{"producer_rate", l.producer_rate},
                    {"consumer_rate", l.consumer_rate},
                    {"sum", l.sum},
                    {"share", l.share ? json(*l.share) : json()},
                    {"producer_cores", p.producer_cores}};
  }
  return {{"programs", programs}, {"pairs", pairs}};
}

sharing sharing::from_state(const json& state) {
  sharing made;
  for (const auto& [number, o] : state.at("programs").items())
    made.m_programs[number] = {decide::core_use(o.at("use").get<std::vector<double>>()), o.at("progress").get<double>(),
                               o.at("cores").get<unsigned>()};
  for (const auto& [group, o] : state.at("pairs").items()) {
    decide::producer_consumer::state l;
    l.producer_rate = o.at("producer_rate").get<double>();
    l.consumer_rate = o.at("consumer_rate").get<double>();
    l.sum = o.at("sum").get<double>();
    if (!o.at("share").is_null()) l.share = o.at("share").get<double>();
    made.m_pairs[group] = {decide::producer_consumer(l), o.at("producer_cores").get<unsigned>()};
  }
  return made;
}

} // namespace treadle::agent
