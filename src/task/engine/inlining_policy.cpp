#include "task/engine/inlining_policy.hpp"

#include "base/names.hpp"

#include <treadle/detail/atomic.hpp>

namespace treadle {
namespace {

constexpr std::string_view k_names[] = {"adaptive", "always-async", "always-inline", "paper-baseline",
                                        "paper-adaptive"};

// The generation, a bit that tells whether the program has chosen, and the policy.
constexpr std::uint64_t k_generation = 0x200, k_by_program = 0x100, k_policy = 0xff;
constinit detail::atomic<std::uint64_t> g_choice{0};
static_assert(static_cast<std::uint64_t>(inlining_policy::adaptive) == 0);

void choose(inlining_policy policy, bool by_program) noexcept {
  std::uint64_t now = g_choice.load(detail::order::relaxed), next;
  do {
    if (!by_program && (now & k_by_program)) return;
    next = (now & ~(k_policy | k_by_program)) + k_generation + (by_program ? k_by_program : 0) +
           static_cast<std::uint64_t>(policy);
  } while (!g_choice.compare_exchange(now, next, detail::order::relaxed, detail::order::relaxed));
}

} // namespace

std::string_view to_string(inlining_policy policy) noexcept { return k_names[static_cast<std::size_t>(policy)]; }

inlining_policy inlining_policy_from_name(std::string_view name) {
  return detail::enumerator_from_name<inlining_policy>(k_names, "inlining policy", name);
}

void use_inlining_policy(inlining_policy policy) { choose(policy, true); }

namespace detail {

void choose_inlining(inlining_policy policy) noexcept {
  if (present_inlining_choice().policy != policy) choose(policy, false);
}

inlining_choice present_inlining_choice() noexcept {
  const std::uint64_t now = g_choice.load(order::relaxed);
  return {static_cast<inlining_policy>(now & k_policy), static_cast<std::uint32_t>(now / k_generation)};
}

} // namespace detail
} // namespace treadle
