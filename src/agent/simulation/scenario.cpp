#include "agent/simulation/scenario.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <set>
#include <stdexcept>
#include <type_traits>

namespace treadle::agent {
namespace {

using nlohmann::json;

constexpr double k_most = 1e9; // more would not end

[[noreturn]] void refuse(const std::string& where, const std::string& expected, const json& got) {
  throw std::invalid_argument(where + ": expected " + expected + ", got " + got.dump());
}

void read(const json& from, double& to, const std::string& where) {
  if (!from.is_number() || !(from.get<double>() >= 0 && from.get<double>() <= k_most))
    refuse(where, "a number from 0 to 1e9", from);
  from.get_to(to);
}
template <class T>
  requires(std::is_unsigned_v<T> && !std::is_same_v<T, bool>)
void read(const json& from, T& to, const std::string& where) {
  if (!from.is_number_unsigned() || from.get<std::uint64_t>() > static_cast<std::uint64_t>(k_most))
    refuse(where, "a whole number from 0 to 1e9", from);
  from.get_to(to);
}
void read(const json& from, bool& to, const std::string& where) {
  if (!from.is_boolean()) refuse(where, "true or false", from);
  from.get_to(to);
}
void read(const json& from, std::string& to, const std::string& where) {
  if (!from.is_string()) refuse(where, "a text", from);
  from.get_to(to);
}
void read(const json& from, std::vector<double>& to, const std::string& where) {
  if (!from.is_array() || from.empty()) refuse(where, "a list of numbers", from);
  to.resize(from.size());
  for (std::size_t i = 0; i < to.size(); ++i) read(from[i], to[i], where + "[" + std::to_string(i) + "]");
}

/// Reads those fields of an object that are there, and refuses others.
class reader {
 public:
  reader(const json& object, std::string where) : m_object(object), m_where(std::move(where)) {
    if (!object.is_object()) refuse(m_where, "an object", object);
  }
  template <class T>
  reader& field(const std::string& name, T& to) {
    if (const json* const found = find(name)) read(*found, to, m_where + "." + name);
    return *this;
  }
  const json* find(const std::string& name) {
    m_known.insert(name);
    const auto found = m_object.find(name);
    return found == m_object.end() ? nullptr : &*found;
  }
  void end() const {
    for (const auto& [name, value] : m_object.items()) {
      if (m_known.contains(name)) continue;
      std::string all;
      for (const std::string& one : m_known) all += (all.empty() ? "" : ", ") + one;
      throw std::invalid_argument(m_where + ": no '" + name + "'; there are " + all);
    }
  }

 private:
  const json& m_object;
  const std::string m_where;
  std::set<std::string> m_known;
};

shared_machine machine_of(const json& object) {
  shared_machine m;
  reader of(object, "machine");
  of.field("hardware_threads", m.hardware_threads);
  m.cores = m.hardware_threads;
  of.field("cores", m.cores).field("second_thread", m.second_thread).field("switching", m.switching).end();
  if (m.hardware_threads == 0 || m.cores == 0 || m.cores > m.hardware_threads)
    refuse("machine", "1 to hardware_threads cores", object);
  if (m.second_thread > 1 || m.switching >= 1) refuse("machine", "second_thread and switching up to 1", object);
  return m;
}

simulated_program program_of(const json& object, const std::string& where) {
  simulated_program p;
  reader of(object, where);
  core_wish& wish = p.wish;
  of.field("name", p.name).field("group", wish.group).field("role", wish.role);
  of.field("workers", p.workers).field("least", wish.least).field("most", wish.most);
  of.field("weight", wish.weight).field("target", wish.target).field("preferred", wish.is_preferred);
  of.field("start_s", p.start_s);
  of.field("iterations", p.iterations).field("tasks", p.tasks).field("task_s", p.task_s);
  of.field("before_s", p.before_s).field("after_s", p.after_s).field("cost", p.cost);
  of.field("rest_s", p.rest_s).field("sleep_s", p.sleep_s).field("item_bytes", p.item_bytes);
  of.field("fractions", p.fractions).field("tells_total", p.tells_total).end();
  if (p.workers == 0 || p.iterations == 0 || p.tasks == 0)
    refuse(where, "workers, iterations and tasks above 0", object);
  if (!(p.wish.weight > 0)) refuse(where + ".weight", "a number above 0", p.wish.weight);
  if (!p.wish.role.empty() && p.wish.role != "producer" && p.wish.role != "consumer")
    refuse(where + ".role", "producer or consumer", p.wish.role);
  if (!p.wish.role.empty() && p.wish.group.empty())
    refuse(where + ".group", "that of the producer and its consumer", p.wish.group);
  return p;
}

/// A consumer whose items nobody makes would wait for ever.
void check_items(const scenario& s) {
  for (const simulated_program& consumer : s.programs) {
    if (consumer.wish.role != "consumer") continue;
    const auto makes = [&](const simulated_program& p) {
      return p.wish.role == "producer" && p.wish.group == consumer.wish.group;
    };
    const auto producers = std::count_if(s.programs.begin(), s.programs.end(), makes);
    const auto consumers = std::count_if(s.programs.begin(), s.programs.end(), [&](const simulated_program& p) {
      return p.wish.role == "consumer" && p.wish.group == consumer.wish.group;
    });
    if (producers != 1 || consumers != 1)
      throw std::invalid_argument("group '" + consumer.wish.group + "': expected one producer and one consumer, got " +
                                  std::to_string(producers) + " and " + std::to_string(consumers));
    const auto producer = std::find_if(s.programs.begin(), s.programs.end(), makes);
    if (producer->iterations < consumer.iterations)
      throw std::invalid_argument("'" + consumer.name + "' would wait for more items than '" + producer->name +
                                  "' makes");
    if (s.sequential && producer > s.programs.begin() + (&consumer - s.programs.data()))
      throw std::invalid_argument("'" + consumer.name + "' would wait for '" + producer->name +
                                  "', which begins after it");
  }
}

} // namespace

scenario scenario_from_json(const json& object) {
  scenario s;
  reader of(object, "scenario");
  if (const json* const machine = of.find("machine")) s.machine = machine_of(*machine);
  if (const json* const agent = of.find("agent"); agent && !agent->is_null()) {
    s.agent.emplace();
    change(*s.agent, *agent);
  }
  if (const json* const programs = of.find("programs"); programs && programs->is_array())
    for (std::size_t i = 0; i < programs->size(); ++i)
      s.programs.push_back(program_of((*programs)[i], "programs[" + std::to_string(i) + "]"));
  of.field("sequential", s.sequential).field("on_events", s.on_events).field("seed", s.seed);
  of.field("noise", s.noise).field("iteration_noise", s.iteration_noise).end();
  if (s.programs.empty()) throw std::invalid_argument("scenario.programs: expected a list of at least one program");
  if (s.noise >= 1 || s.iteration_noise >= 1) refuse("scenario", "noise and iteration_noise below 1", s.noise);
  check_items(s);
  return s;
}

} // namespace treadle::agent
