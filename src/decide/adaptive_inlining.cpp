#include "decide/adaptive_inlining.hpp"

#include <algorithm>

namespace treadle::decide {

void execution_cost::add(double ns, bool blocked, const spawn_cost& task) noexcept {
  // The plain mean of the first executions, then an exponential one that follows changes. One far out, as one in which
  // the thread was preempted, counts as four times the mean.
  const double bounded = is_known() ? std::min(ns, 4 * m_mean_ns + task.ns) : ns;
  const unsigned weight = std::min(++m_count, 8u);
  m_mean_ns += (bounded - m_mean_ns) / weight;
  m_blocked += ((blocked ? 1 : 0) - m_blocked) / weight;
}

bool call_backlog::is_pause(double calls, double ns, const execution_cost& measured, const spawn_cost& task) noexcept {
  constexpr double k_share = 8;
  constexpr double k_most_ns = 1e9; // grows while tasks of these calls run at the same time
  m_ns = std::min(m_ns + calls * measured.mean_ns(), k_most_ns);
  const bool is_pause = ns > k_share * (m_ns + calls * task.ns);
  m_ns = std::max(m_ns - ns, 0.0);
  return is_pause;
}

inlining_verdict judge(const execution_cost& measured, const spawn_cost& task,
                       inlining_verdict::reason before) noexcept {
  constexpr double k_lengthy = 400; // times the cost of a task
  constexpr double k_often = 0.25;
  constexpr double k_clearly = 1.5;
  using enum inlining_verdict::reason;
  if (!measured.is_known()) return {unknown, false};
  if (measured.blocked() > (before == blocks ? k_often / k_clearly : k_often)) return {blocks, false};
  if (task.workers < 2) return {alone, true};
  const double ns = measured.mean_ns();
  if (ns < task.brief_ns() * (before == brief ? k_clearly : 1)) return {brief, true};
  if (ns > k_lengthy * task.ns / (before == lengthy ? k_clearly : 1)) return {lengthy, false};
  return {uncertain, ns < task.fitting_ns()};
}

std::string explain(inlining_verdict::reason why, const execution_cost& measured, const spawn_cost& task) {
  using enum inlining_verdict::reason;
  const auto in_ns = [](double ns) { return std::to_string(static_cast<long>(ns + 0.5)) + " ns"; };
  const std::string costs = in_ns(measured.mean_ns()) + ", and a task costs " + in_ns(task.ns);
  switch (why) {
  case unknown:
    return "not measured often enough";
  case blocks:
    return "it waits: its creator goes on meanwhile";
  case alone:
    return "there is one worker";
  case brief:
    return "short: " + costs;
  case lengthy:
    return "long: " + costs;
  case uncertain:
    break;
  }
  return "neither short nor long: " + costs;
}

} // namespace treadle::decide
