#include <treadle/inlining.hpp>

#include <algorithm>
#include <iterator>
#include <stdexcept>

namespace treadle {
namespace {

constexpr std::string_view k_names[] = {"adaptive", "always-async", "always-inline", "paper-baseline",
                                        "paper-adaptive"};

} // namespace

std::string_view to_string(inlining_policy policy) noexcept { return k_names[static_cast<std::size_t>(policy)]; }

inlining_policy inlining_policy_from_name(std::string_view name) {
  const auto* found = std::find(std::begin(k_names), std::end(k_names), name);
  if (found != std::end(k_names)) return static_cast<inlining_policy>(found - std::begin(k_names));
  throw std::invalid_argument("no inlining policy '" + std::string(name) +
                              "'; there are adaptive, always-async, always-inline, paper-baseline, paper-adaptive");
}

} // namespace treadle
