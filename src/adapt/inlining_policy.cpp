#include <treadle/inlining.hpp>

#include "base/names.hpp"

namespace treadle {
namespace {

constexpr std::string_view k_names[] = {"adaptive", "always-async", "always-inline", "paper-baseline",
                                        "paper-adaptive"};

} // namespace

std::string_view to_string(inlining_policy policy) noexcept { return k_names[static_cast<std::size_t>(policy)]; }

inlining_policy inlining_policy_from_name(std::string_view name) {
  return detail::enumerator_from_name<inlining_policy>(k_names, "inlining policy", name);
}

} // namespace treadle
