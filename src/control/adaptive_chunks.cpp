#include <treadle/algorithm/execution.hpp>

#include "base/claim.hpp"
#include "base/clock.hpp"
#include "control/place_name.hpp"
#include "control/tuned_grain.hpp"

#include <treadle/detail/spinlock.hpp>

#include <bit>
#include <memory>
#include <vector>

namespace treadle::detail {
namespace {

/// What is known of one loop in the source. It is measured by one execution of the loop at a time; others that run
/// meanwhile take the chunk that has been chosen.
class tuned_loop {
 public:
  explicit tuned_loop(task_name name) : m_name(place_name({name.text, name.bytes})) {}

  /// True: this execution is measured, and calls end().
  bool begin(std::uint64_t n) noexcept {
    if (!m_in_use.take()) return false;
    m_since_ns = steady_now_ns();
    bool is_measured = false;
    try {
      m_present = &of_size(n);
      m_chunk.store(static_cast<std::uint64_t>(m_present->tuned.grain()), order::relaxed);
      constexpr std::uint64_t k_first_windows = 10;
      is_measured = m_present->tuned.windows() < k_first_windows || m_present->tuned.is_trying() ||
                    loop::the_ledger.deciding.credit_ns(m_since_ns) >= 0;
    } catch (...) { // no memory: stays as it is
    }
    if (!is_measured) m_in_use.release();
    return is_measured;
  }
  /// The execution has ended after n iterations; 0: it did not execute all of them.
  void end(std::uint64_t n) noexcept {
    try {
      const std::int64_t now_ns = steady_now_ns();
      if (n != 0) m_present->tuned.done(static_cast<double>(n), static_cast<double>(now_ns - m_since_ns), now_ns);
    } catch (...) { // no memory
    }
    m_in_use.release();
  }
  std::uint64_t chunk() const noexcept { return m_chunk.load(order::relaxed); }

 private:
  /// Loops of about as many iterations, to a factor of two.
  struct size_class {
    size_class(const std::string& name, int bits, double start)
        : width(bits),
          tuned({.name = name,
                 .label = "up to 2^" + std::to_string(bits) + " iterations",
                 .kind = loop::decision_kind::chunks,
                 .largest = static_cast<double>(std::uint64_t{1} << std::min(bits, 62)),
                 .start = start}) {}
    const int width; // of the number of iterations
    tuned_grain tuned;
  };

  /// A new one begins with what was found for the closest, if there is one.
  size_class& of_size(std::uint64_t n) {
    const int width = static_cast<int>(std::bit_width(n));
    const size_class* closest = nullptr;
    for (const auto& known : m_sizes) {
      if (known->width == width) return *known;
      if (!closest || std::abs(known->width - width) < std::abs(closest->width - width)) closest = known.get();
    }
    m_sizes.push_back(std::make_unique<size_class>(m_name, width, closest ? closest->tuned.grain() : 0));
    return *m_sizes.back();
  }

  const std::string m_name;
  claim m_in_use;
  atomic<std::uint64_t> m_chunk{1};
  // By who has it in use
  std::vector<std::unique_ptr<size_class>> m_sizes;
  size_class* m_present = nullptr;
  std::int64_t m_since_ns = 0;
};

/// Null when there is no memory.
tuned_loop* tuned(loop_site& site) noexcept {
  if (void* known = site.tuning.load(order::acquire)) return static_cast<tuned_loop*>(known); // pairs with the exchange
  try {
    auto made = std::make_unique<tuned_loop>(site.name);
    void* before = nullptr;
    if (!site.tuning.compare_exchange(before, made.get(), order::acq_rel, order::acquire))
      return static_cast<tuned_loop*>(before);
    return made.release(); // lives as long as its site, that is for ever
  } catch (...) {
    return nullptr;
  }
}

std::uint64_t begin(loop_site& site, std::uint64_t n, bool& measured) noexcept {
  tuned_loop* loop = tuned(site);
  if (!loop) return 1;
  measured = loop->begin(n);
  return loop->chunk();
}

void done(loop_site& site, std::uint64_t n) noexcept {
  static_cast<tuned_loop*>(site.tuning.load(order::acquire))->end(n);
}

} // namespace

constinit const chunk_tuner adaptive_chunks{&begin, &done};

} // namespace treadle::detail
