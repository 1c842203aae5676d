#include "tree/run/reasons.hpp"

#include <cstdio>

namespace treadle::tree {
namespace {

using detail::order;

std::string in_us(double ns, const char* format) {
  char text[32];
  std::snprintf(text, sizeof text, format, ns / 1000);
  return text;
}
double in_ns(std::uint64_t ticks) { return static_cast<double>(detail::ticks_to_ns(static_cast<std::int64_t>(ticks))); }

// Algorithms 1 and 2 of the paper.
std::string compared(const node_statistics& of, double mean_ns, double lower_ns, double upper_ns) {
  const auto mode = static_cast<physl::inline_mode>(of.mode.load(order::relaxed));
  const char* const decided = mode == physl::inline_mode::inlined   ? "inlined: "
                              : mode == physl::inline_mode::spawned ? "spawned: "
                                                                    : "undecided: ";
  return decided + in_us(mean_ns, "%.1f us against ") + in_us(lower_ns, "%g and ") + in_us(upper_ns, "%g us");
}

std::string searched(const instance_search& of) {
  const unsigned windows = of.search.windows();
  if (windows == 0) return {};
  return in_us(of.search.threshold_ns(), "; threshold %g us") +
         (of.search.converged() ? ", found after " : ", after ") + std::to_string(windows) +
         (windows == 1 ? " window" : " windows") + " of " + std::to_string(of.search.how().window) +
         in_us(of.searching_ns, ", %.1f us of searching");
}

bool was_asked(const node_statistics& of) noexcept { return of.threshold.load(order::relaxed) != 0; }
bool was_worth_it(const node_statistics& of) noexcept {
  const auto threshold = of.threshold.load(order::relaxed);
  return threshold != 0 && of.part.load(order::relaxed) >= threshold;
}

std::string why_adaptive(const node_statistics& of, const run_terms& by) {
  const auto part = of.part.load(order::relaxed), threshold = of.threshold.load(order::relaxed);
  if (by.alone && (threshold == 0 || threshold >= splitting::k_never)) return "inline: one worker";
  if (threshold == 0) return "inline";
  if (threshold >= splitting::k_never) return "inline: no part is a task";
  if (part == 0) return "inline: not measured before";
  return (part >= threshold ? "split: a part of " : "inline: a part of ") + in_us(in_ns(part), "%.1f us, tasks from ") +
         in_us(in_ns(threshold), "%.0f us on");
}

} // namespace

std::string why(const node_statistics& of, instance_search* search) {
  const run_terms* const by = of.by.load(order::acquire); // pairs with the stores in run_state.cpp
  const auto count = of.count.load(order::relaxed);
  if (count == 0) return {};
  if (!by) return "inline"; // nothing that a policy is asked about
  switch (by->policy) {
  case physl::policy::adaptive:
    return why_adaptive(of, *by);
  case physl::policy::paper_baseline:
    return compared(of, in_ns(of.inclusive.load(order::relaxed)) / static_cast<double>(count),
                    static_cast<double>(by->lower_ns), static_cast<double>(by->upper_ns));
  case physl::policy::paper_adaptive:
    if (search) {
      const detail::scoped_lock guard(search->lock);
      const auto& s = search->search;
      return compared(of, s.mean_ns(), static_cast<double>(s.lower_ns()), static_cast<double>(s.upper_ns())) +
             searched(*search);
    }
    break;
  case physl::policy::always_async:
  case physl::policy::always_inline:
    break;
  }
  return std::string(to_string(by->policy));
}

std::string why_region(const node& region, std::span<const node_statistics> all, instance_search* searches) {
  const auto reason = [&](const node& n) { return why(all[n.index], searches ? &searches[n.index] : nullptr); };
  const auto operands = region.operands();
  const node* part = operands.back(); // the body
  const bool is_block = region.stages != nullptr;
  if (is_block)
    part = *std::max_element(operands.begin(), operands.end(), [&](const node* a, const node* b) {
      return all[a->index].part.load(order::relaxed) < all[b->index].part.load(order::relaxed);
    });
  const auto& asked = all[part->index];
  const run_terms* const by = all[region.index].by.load(order::acquire); // as in why()
  if (by && (by->policy == physl::policy::paper_baseline || by->policy == physl::policy::paper_adaptive))
    return std::string(to_string(by->policy)) + " splits nothing";
  if (by && by->policy == physl::policy::adaptive && !by->alone) {
    if (!is_block && !was_asked(asked)) return "inline: a single turn, or values that allow no parts";
    if (was_worth_it(asked) && asked.spawned.load(order::relaxed) == 0) return reason(*part) + "; no worker took one";
  }
  return reason(is_block && !was_asked(asked) ? region : *part);
}

} // namespace treadle::tree
