// How a producer and a consumer share cores so that the queue between them has a wanted length. Pure.
#pragma once

#include <optional>

namespace treadle::decide {

/// The paper's law: with d items more than `target` in the queue the producer gets the share 1/2 - d / target of the
/// cores, nothing where that is negative, and all beyond 1; the rest is the consumer's. Rounded to the nearest number,
/// because the paper does not say how (Dokulil and Benkner, section III). Far below the target the gain of this law is
/// too high: it swings between none and all where cores * period makes more than two targets of items.
unsigned proportional_producer_cores(unsigned cores, double queue, double target) noexcept;

/// Ours: cores by the rates that both have shown, so that they are equally fast, corrected by what the queue is off.
class producer_consumer {
 public:
  struct sample {
    double seconds;                            ///< since the last one
    double produced, consumed;                 ///< items meanwhile, fractions count
    double producer_core_s, consumer_core_s;   ///< processor time that they used meanwhile
    double queue;                              ///< items produced and not consumed yet
    std::optional<double> left = std::nullopt; ///< items that the producer still makes
  };

  /// What it has learned.
  struct state {
    double producer_rate = 0, consumer_rate = 0; ///< items per second of a core; 0: not known yet
    double sum = 0;                              ///< of what the queue was off, in shares of the cores
    std::optional<double> share = std::nullopt;  ///< of the producer, last
  };
  producer_consumer() = default;
  explicit producer_consumer(const state& learned) noexcept : m_known(learned) {}
  const state& learned() const noexcept { return m_known; }

  /// Cores of the producer from now on; the rest is the consumer's. A queue of less than one item is none: `target` is
  /// at least 1.
  unsigned decide(unsigned cores, double target, const sample& now);
  /// The same share of another number of cores; half of them before the first sample.
  unsigned keep(unsigned cores) const noexcept;

 private:
  state m_known;
};

} // namespace treadle::decide
