#include "decide/producer_consumer.hpp"

#include <algorithm>
#include <cmath>

namespace treadle::decide {

namespace {

void learn(double& rate, double items, double core_s) noexcept {
  constexpr double k_new = 0.5; // of the estimate is the latest sample; it doubles within some of them
  if (!(core_s > 0) || !(items > 0)) return;
  const double seen = items / core_s;
  rate = rate == 0 ? seen : rate + k_new * (seen - rate);
}

} // namespace

unsigned proportional_producer_cores(unsigned cores, double queue, double target) noexcept {
  const double share = std::clamp(0.5 - (queue - target) / target, 0.0, 1.0);
  return static_cast<unsigned>(std::lround(share * cores));
}

unsigned producer_consumer::keep(unsigned cores) const noexcept {
  return static_cast<unsigned>(std::lround(m_known.share.value_or(0.5) * cores));
}

/// The queue after a period is d (1 - G) with G = T A gain / cores, where A is what both make with all cores. A gain of
/// k / (T A) per core makes G = k, for any period and target. One item may move an eighth of the cores at most: items
/// are counted in steps where programs report whole ones only, and a short period would answer each with a swing.
unsigned producer_consumer::decide(unsigned cores, double target, const sample& now) {
  constexpr double k_loop_gain = 0.5, k_most_per_item = 1.0 / 8, k_integral = 0.1, k_slew = 0.25, k_rest = 0.1;
  auto& [producer_rate, consumer_rate, off_sum, last_share] = m_known;
  learn(producer_rate, now.produced, now.producer_core_s);
  learn(consumer_rate, now.consumed, now.consumer_core_s);
  if (cores == 0) return 0;
  const double n = cores;
  // What the producer has not made yet can be in no queue.
  const double wanted = std::min(std::max(target, 1.0), now.left.value_or(target));
  const double off = now.queue - wanted;
  const bool known = producer_rate > 0 && consumer_rate > 0;
  const double both = producer_rate + consumer_rate;
  const double middle = known ? n * consumer_rate / both : n / 2;
  const double per_item = known && now.seconds > 0 ? std::min(k_loop_gain / (now.seconds * n * both), k_most_per_item)
                                                   : k_most_per_item / 2;
  const double sum = off_sum + k_integral * per_item * off;
  double share = middle / n - per_item * off - sum;
  if (share >= 0 && share <= 1) off_sum = sum; // not where it could do nothing
  share = std::clamp(share, 0.0, 1.0);
  if (last_share) {
    const double slew = std::max(k_slew, 1 / n); // a core at least, or few cores would never change
    share = std::clamp(share, *last_share - slew, *last_share + slew);
    const double held = std::round(*last_share * n);
    if (std::abs(share * n - held) < 0.5 + k_rest) share = held / n; // a change for less is not worth it
  }
  // Without an item to use, or with more than are wanted, one of them alone would wait for the other for ever.
  if (cores > 0 && now.queue < 1) share = std::max(share, 1 / n);
  if (cores > 1 && now.queue >= 1 && off > 0) share = std::min(share, 1 - 1 / n);
  last_share = share;
  return static_cast<unsigned>(std::lround(share * n));
}

} // namespace treadle::decide
