#include <treadle/algorithm/execution.hpp>
#include <treadle/tune/grain_tuner.hpp>

#include <treadle/detail/spinlock.hpp>

#include <algorithm>

namespace treadle::detail {
namespace {

/// What is known of one loop in the source. The tuner is used by one execution of the loop at a time; others that run
/// meanwhile take the chunk that it has chosen and are not measured.
struct tuned_loop {
  explicit tuned_loop(std::uint64_t n)
      : largest(std::max<std::uint64_t>(n, 1)), tuner(up_to(largest, 0)), chunk(tuner.grain()) {}

  /// There has never been so long a loop: its chunks may be greater, too.
  void widen(std::uint64_t n) {
    const std::uint64_t wider = n < k_endless / 2 ? 2 * n : k_endless;
    tuner = up_to(wider, static_cast<double>(tuner.grain()));
    largest = wider;
  }
  static grain_tuner up_to(std::uint64_t largest, double start) {
    return grain_tuner({.smallest = 1, .largest = static_cast<double>(largest), .start = start});
  }

  static constexpr std::uint64_t k_endless = std::uint64_t{1} << 62;
  std::uint64_t largest;
  grain_tuner tuner;
  atomic<std::uint64_t> chunk;
  atomic<std::uint32_t> in_use{0};
};

/// Null when there is no memory.
tuned_loop* tuned(loop_site& site, std::uint64_t n) noexcept {
  if (void* known = site.tuning.load(order::acquire)) return static_cast<tuned_loop*>(known); // pairs with the exchange
  try {
    auto made = std::make_unique<tuned_loop>(n);
    void* before = nullptr;
    if (!site.tuning.compare_exchange(before, made.get(), order::acq_rel, order::acquire))
      return static_cast<tuned_loop*>(before);
    return made.release(); // lives as long as its site, that is for ever
  } catch (...) {
    return nullptr;
  }
}

std::uint64_t begin(loop_site& site, std::uint64_t n, bool& measured) noexcept {
  tuned_loop* loop = tuned(site, n);
  if (!loop) return 1;
  measured = loop->in_use.exchange(1, order::acquire) == 0; // pairs with done(): the tuner
  if (measured) {
    try {
      if (n > loop->largest) loop->widen(n);
    } catch (...) { // no memory: stays as it is
    }
    loop->tuner.resume();
  }
  return loop->chunk.load(order::relaxed);
}

void done(loop_site& site, std::uint64_t n) noexcept {
  tuned_loop& loop = *static_cast<tuned_loop*>(site.tuning.load(order::acquire));
  if (n != 0) loop.tuner.done(static_cast<double>(n), loop.tuner.grain());
  loop.chunk.store(loop.tuner.grain(), order::relaxed);
  loop.in_use.store(0, order::release);
}

} // namespace

constinit const chunk_tuner adaptive_chunks{&begin, &done};

} // namespace treadle::detail
