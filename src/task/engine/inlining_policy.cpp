#include "task/engine/inlining_policy.hpp"

#include "base/names.hpp"
#include "decide/paper_adaptive.hpp"

#include <treadle/detail/atomic.hpp>
#include <treadle/detail/spinlock.hpp>

#include <stdexcept>
#include <string>

namespace treadle {
namespace {

constexpr std::string_view k_names[] = {"adaptive", "always-async", "always-inline", "paper-baseline",
                                        "paper-adaptive"};

// The generation, a bit that tells whether the program has chosen, and the policy.
constexpr std::uint64_t k_generation = 0x200, k_by_program = 0x100, k_policy = 0xff;
constinit detail::atomic<std::uint64_t> g_choice{0};
static_assert(static_cast<std::uint64_t>(inlining_policy::adaptive) == 0);

constinit detail::spinlock g_search_lock; // of the next
constinit threshold_search g_search;

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

void check(const threshold_search& search) {
  const auto refuse = [](const std::string& why) { throw std::invalid_argument("search for thresholds: " + why); };
  if (search.how == search_strategy::local_ucb) refuse("local-ucb never ends; any other strategy does");
  if (search.step_ns == 0 || search.first_ns > search.last_ns)
    refuse("no thresholds from " + std::to_string(search.first_ns) + " to " + std::to_string(search.last_ns) +
           " ns in steps of " + std::to_string(search.step_ns) + " ns");
  constexpr std::uint64_t k_most = 10'000, k_longest_ns = 3'600'000'000'000;
  if ((search.last_ns - search.first_ns) / search.step_ns >= k_most)
    refuse("more than " + std::to_string(k_most) + " thresholds");
  if (search.last_ns > k_longest_ns) refuse("thresholds are up to an hour");
  constexpr auto k_undecided = decide::paper_adaptive::k_registered_from; // evaluations of a window that decide nothing
  if (search.window <= k_undecided)
    refuse("a window has more than " + std::to_string(k_undecided) + " evaluations, not " +
           std::to_string(search.window));
}

void use_inlining_policy(inlining_policy policy, const threshold_search& search) {
  check(search);
  {
    const detail::scoped_lock guard(g_search_lock);
    g_search = search;
  }
  choose(policy, true);
}

namespace detail {

void choose_inlining(inlining_policy policy) noexcept {
  if (present_inlining_choice().policy != policy) choose(policy, false);
}

threshold_search present_threshold_search() noexcept {
  const scoped_lock guard(g_search_lock);
  return g_search;
}

inlining_choice present_inlining_choice() noexcept {
  const std::uint64_t now = g_choice.load(order::relaxed);
  return {static_cast<inlining_policy>(now & k_policy), static_cast<std::uint32_t>(now / k_generation)};
}

} // namespace detail
} // namespace treadle
