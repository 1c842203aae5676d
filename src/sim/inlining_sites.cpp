#include "sim/inlining_sites.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <stdexcept>
#include <string>

namespace treadle::sim {
namespace {

/// "LOWER:UPPER" in us.
decide::paper_baseline baseline_from(std::string_view text) {
  decide::paper_baseline result;
  const auto read = [&](std::string_view part, std::uint64_t& ns) {
    double us = -1;
    const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), us);
    ns = static_cast<std::uint64_t>(std::llround(std::max(us, 0.0) * 1000));
    return error == std::errc() && end == part.data() + part.size() && us >= 0 && us < 1e12;
  };
  const std::size_t colon = std::min(text.find(':'), text.size());
  if (colon == text.size() || !read(text.substr(0, colon), result.lower_ns) ||
      !read(text.substr(colon + 1), result.upper_ns) || result.lower_ns > result.upper_ns)
    throw std::invalid_argument("inlining: expected paper-baseline:LOWER:UPPER in us, LOWER not above UPPER, got '" +
                                std::string(text) + "'");
  return result;
}

} // namespace

inlining_sites::inlining_sites(std::string_view policy, std::size_t sites, const cost_table& costs, unsigned workers) {
  constexpr std::string_view k_baseline = "paper-baseline";
  if (policy.empty()) return;
  if (policy == "always") {
    m_policy = always{true};
  } else if (policy == "never") {
    m_policy = always{false};
  } else if (policy == k_baseline) {
    m_policy = decide::paper_baseline{};
  } else if (policy.starts_with(k_baseline) && policy[k_baseline.size()] == ':') {
    m_policy = baseline_from(policy.substr(k_baseline.size() + 1));
  } else if (policy == "paper-adaptive") {
    m_policy = by_search{};
  } else if (policy == "by-cost") {
    m_policy = by_cost{{costs.create_ns + costs.pop_ns, workers}};
  } else {
    throw std::invalid_argument("no inlining '" + std::string(policy) +
                                "'; there are always, never, paper-baseline, paper-baseline:LOWER:UPPER, "
                                "paper-adaptive, by-cost");
  }
  m_sites.resize(sites);
}

bool inlining_sites::inlines(int number) {
  site& one = m_sites[static_cast<std::size_t>(number)];
  if (const auto* fixed = std::get_if<always>(&m_policy)) return fixed->inlined;
  if (const auto* cost = std::get_if<by_cost>(&m_policy)) {
    one.verdict = decide::judge(one.cost, cost->task, one.verdict.why);
    return one.verdict.inlined;
  }
  decide::inlining_decision decision;
  if (const auto* baseline = std::get_if<decide::paper_baseline>(&m_policy)) {
    decision = baseline->decide(one.sample, one.previous);
  } else {
    const auto [found, reset] = one.search.decide(one.sample, one.previous);
    decision = found;
    if (reset) one.sample = {};
  }
  one.previous = decision.mode;
  return decision.mode == decide::execution::inlined;
}

void inlining_sites::executed(int number, const execution& what) {
  site& one = m_sites[static_cast<std::size_t>(number)];
  ++one.sample.count;
  one.sample.total_ns += static_cast<std::uint64_t>(what.until_ready_ns);
  if (const auto* cost = std::get_if<by_cost>(&m_policy)) one.cost.add(what.working_ns, what.blocked, cost->task);
}

} // namespace treadle::sim
