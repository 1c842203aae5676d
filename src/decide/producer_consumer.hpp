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

  /// Cores of the producer from now on; the rest is the consumer's. A queue of less than one item is none: `target` is
  /// at least 1.
  unsigned decide(unsigned cores, double target, const sample& now);

  /// Items per second of a core; 0: not known yet.
  double producer_rate() const noexcept { return m_producer.rate; }
  double consumer_rate() const noexcept { return m_consumer.rate; }

 private:
  struct estimate {
    double rate = 0;
    void add(double items, double core_s) noexcept;
  };

  estimate m_producer, m_consumer;
  double m_sum = 0; // of what the queue was off, in cores
  std::optional<double> m_share;
};

} // namespace treadle::decide
