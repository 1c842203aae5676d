#include "agent/roster.hpp"

#include "agent_link/wish.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace treadle::agent {
namespace {

using nlohmann::json;
namespace message = detail::message;

constexpr std::size_t k_name_bytes = 64;
constexpr int k_leases_silent = 10; // until one that does not answer is forgotten

core_wish effective_wish(const member& m) {
  core_wish w = m.wish;
  const override_wish& i = m.instead;
  w.least = i.least.value_or(w.least);
  w.most = i.most.value_or(w.most);
  if (w.most != 0) w.most = std::max(w.most, w.least); // one by the program, the other by somebody else
  w.weight = i.weight.value_or(w.weight);
  w.target = i.target.value_or(w.target);
  w.group = i.group.value_or(w.group);
  w.role = i.role.value_or(w.role);
  w.is_preferred = i.is_preferred.value_or(w.is_preferred);
  return w;
}

/// Calls visit(name in messages and files, field) for each.
template <class Wish, class Visit>
void visit_fields(Wish& w, Visit visit) {
  visit("least", w.least);
  visit("most", w.most);
  visit("weight", w.weight);
  visit("target", w.target);
  visit("group", w.group);
  visit("role", w.role);
  visit("preferred", w.is_preferred);
  visit("paused", w.is_paused);
}

roster::result refuse(const std::string& route, const std::string& why) {
  return {{{route, message::refused{why}}}, false, ""};
}

} // namespace

member* roster::by_route(const std::string& route) noexcept {
  for (member& m : m_members)
    if (m.route == route) return &m;
  return nullptr;
}

roster::result roster::receive(const std::string& route, int peer, const detail::any_message& what,
                               std::int64_t now_ns) {
  if (const auto* const hello = std::get_if<message::hello>(&what)) return welcome(route, peer, *hello, now_ns);
  member* const from = by_route(route);
  if (!from) return {{{route, message::who{}}}, false, ""};
  result r;
  from->answered_ns = now_ns;
  if (std::exchange(from->is_silent, false)) {
    r.must_decide = true;
    r.cause = from->name + " answers again";
  }
  if (const auto* const ack = std::get_if<message::ack>(&what)) {
    if (ack->epoch == from->epoch && from->acknowledged != ack->epoch) {
      from->acknowledged = ack->epoch;
      from->acknowledged_after_ns = now_ns - from->granted_ns;
    }
  } else if (const auto* const effective = std::get_if<message::effective>(&what)) {
    if (effective->epoch == from->epoch) from->took_effect_us = effective->after_us;
  } else if (const auto* const need = std::get_if<message::need>(&what)) {
    const bool is_idle = need->workers == 0;
    if (std::exchange(from->is_idle, is_idle) != is_idle) {
      r.must_decide = true;
      r.cause = from->name + (is_idle ? " has nothing to do" : " has something to do");
    }
  } else if (std::holds_alternative<message::bye>(what)) {
    r.must_decide = true;
    r.cause = from->name + " says good-bye";
    std::erase_if(m_members, [&](const member& m) { return m.route == route; });
  } else {
    return refuse(route, "that is not for an agent");
  }
  return r;
}

roster::result roster::welcome(const std::string& route, int peer, const message::hello& h, std::int64_t now_ns) {
  if (peer != 0 && peer != h.pid)
    return refuse(route,
                  "hello: says that it is process " + std::to_string(h.pid) + ", but is " + std::to_string(peer));
  const auto found =
      std::find_if(m_members.begin(), m_members.end(), [&](const member& m) { return m.program == h.program; });
  const bool is_new = found == m_members.end();
  if (!is_new && found->pid != peer)
    return refuse(route, "hello: process " + std::to_string(found->pid) + " is that program");
  result r;
  if (is_new) {
    if (m_members.size() >= m_most)
      return refuse(route, "hello: there are " + std::to_string(m_most) + " programs, and no more are taken");
    // One process is one program: it has begun anew with exec.
    if (peer != 0) std::erase_if(m_members, [&](const member& m) { return m.pid == peer; });
    member& added = m_members.emplace_back();
    added.program = h.program;
    if (const auto set = m_instead.find(h.program); set != m_instead.end()) added.instead = set->second;
  }
  r.cause = h.name.substr(0, k_name_bytes) + (is_new ? " comes" : " says hello again");
  member& m = is_new ? m_members.back() : *found;
  m.route = route;
  m.pid = peer;
  m.name = h.name.substr(0, k_name_bytes);
  m.workers = h.workers;
  m.wish = h.wish;
  m.is_command = h.is_command;
  m.answered_ns = now_ns;
  m.is_idle = m.is_silent = false;
  m.epoch = m.acknowledged = 0; // whatever it had: it gets a grant anew
  m_epoch = std::max(m_epoch, h.epoch);
  r.must_decide = true;
  return r;
}

roster::result roster::ended(int pid) {
  result r;
  std::erase_if(m_members, [&](const member& m) {
    if (m.pid != pid) return false;
    r.must_decide = true;
    r.cause = m.name + " has ended";
    m_instead.erase(m.program);
    return true;
  });
  return r;
}

roster::result roster::look(std::int64_t now_ns, std::int64_t lease_ns) {
  result r;
  for (member& m : m_members) {
    if (m.is_silent || now_ns - m.answered_ns < lease_ns) continue;
    m.is_silent = r.must_decide = true;
    r.cause = m.name + " does not answer";
  }
  // It has taken its leave, perhaps, and that was lost; otherwise it says hello again.
  std::erase_if(m_members, [&](const member& m) { return now_ns - m.answered_ns > k_leases_silent * lease_ns; });
  return r;
}

std::vector<roster::outgoing> roster::grant(const std::vector<share>& shares, std::int64_t now_ns, unsigned lease_ms,
                                            const decide::cpus_and_distances& cpus) {
  std::vector<outgoing> send;
  std::vector<unsigned> wanted;
  std::vector<std::vector<unsigned>> had;
  for (std::size_t i = 0; i < m_members.size(); ++i) {
    wanted.push_back(m_members[i].is_command ? shares[i].workers : 0);
    had.push_back(m_members[i].cpus);
  }
  const std::vector<std::vector<unsigned>> sets = decide::cpu_sets(cpus, wanted, had);
  for (std::size_t i = 0; i < m_members.size(); ++i) {
    member& m = m_members[i];
    if (m.epoch == 0 || m.granted != shares[i].workers || m.cpus != sets[i]) {
      m.epoch = ++m_epoch;
      m.granted = shares[i].workers;
      m.granted_ns = now_ns;
      m.took_effect_us.reset();
    }
    m.reason = shares[i].reason;
    m.cpus = sets[i];
    send.push_back({m.route, message::grant{m.epoch, m.granted, lease_ms, m.reason, m.cpus}});
  }
  return send;
}

std::vector<member*> roster::find(const std::string& which) {
  std::vector<member*> found;
  for (member& m : m_members)
    if (m.program == which || m.name == which || (m.pid != 0 && std::to_string(m.pid) == which)) found.push_back(&m);
  if (!found.empty()) return found;
  std::string known;
  for (const member& m : m_members) known += (known.empty() ? "" : ", ") + m.name + " (" + std::to_string(m.pid) + ")";
  throw std::invalid_argument("no program '" + which + "'; there are " + (known.empty() ? "none" : known));
}

void roster::set(const std::string& which, const json& changes) {
  override_wish changed;
  for (member* const m : find(which)) {
    changed = m->instead;
    change(changed, changes);
    m->instead = m_instead[m->program] = changed;
  }
}

program_view roster::view_of(const member& m) const {
  program_view v = agent::view_of(m.program, m.name, m.workers, effective_wish(m));
  v.is_idle = m.is_idle;
  v.is_silent = m.is_silent;
  v.is_paused = m.instead.is_paused.value_or(false);
  return v;
}

json to_json(const override_wish& w) {
  json o = json::object();
  visit_fields(w, [&](const char* name, const auto& value) {
    if (value) o[name] = *value;
  });
  return o;
}

void change(override_wish& w, const json& object) {
  override_wish changed = w;
  const auto take = [](const std::string& name, const json& value, auto& to) {
    using type = typename std::remove_reference_t<decltype(to)>::value_type;
    if (value.is_null()) return to.reset(); // as the program itself wants it
    const bool fits = std::is_same_v<type, bool>          ? value.is_boolean()
                      : std::is_same_v<type, std::string> ? value.is_string()
                      : std::is_same_v<type, double>      ? value.is_number()
                                                          : value.is_number_unsigned() && value < (1u << 20);
    if (!fits) throw std::invalid_argument(name + ": cannot be " + value.dump());
    to = value.get<type>();
  };
  for (const auto& item : object.items()) {
    std::string known;
    bool is_known = false;
    visit_fields(changed, [&](const char* name, auto& to) {
      known += (known.empty() ? "" : ", ") + std::string(name);
      if (item.key() != name) return;
      is_known = true;
      take(name, item.value(), to);
    });
    if (!is_known) throw std::invalid_argument("no '" + item.key() + "'; there are " + known);
  }
  member checked;
  checked.instead = changed;
  if (changed.role && !changed.role->empty() && !changed.group) checked.wish.group = "its own";
  detail::check(effective_wish(checked), "set");
  w = std::move(changed);
}

void roster::forget_absent() {
  std::erase_if(m_instead, [&](const auto& one) {
    return std::none_of(m_members.begin(), m_members.end(), [&](const member& m) { return m.program == one.first; });
  });
}

json roster::state() const {
  json set = json::object();
  for (const auto& [program, wish] : m_instead) set[program] = to_json(wish);
  return {{"epoch", m_epoch}, {"set", set}};
}

void roster::restore(const json& state) {
  m_epoch = std::max(m_epoch, std::min(state.at("epoch").get<std::uint64_t>(), detail::k_epoch_most));
  for (const auto& [program, wish] : state.at("set").items()) change(m_instead[program], wish);
}

} // namespace treadle::agent
