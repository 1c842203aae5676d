#include "parcel/coalescing/coalescing_text.hpp"

#include <charconv>
#include <stdexcept>
#include <string>

namespace treadle::detail {
namespace {

/// What is left of a text that is read from the left.
class reader {
 public:
  explicit reader(std::string_view text) noexcept : m_left(text) {}
  bool is_at_end() const noexcept { return m_left.empty(); }
  bool takes(std::string_view expected) noexcept {
    if (!m_left.starts_with(expected)) return false;
    m_left.remove_prefix(expected.size());
    return true;
  }
  template <class T>
  bool takes_number(T& to) noexcept {
    const auto [end, error] = std::from_chars(m_left.data(), m_left.data() + m_left.size(), to);
    if (error != std::errc()) return false;
    m_left.remove_prefix(static_cast<std::size_t>(end - m_left.data()));
    return true;
  }
  bool takes_us(std::int64_t& ns) noexcept {
    constexpr std::int64_t k_most_us = 1'000'000;
    std::int64_t us = 0;
    if (!takes_number(us) || us < 0 || us > k_most_us) return false;
    ns = 1000 * us;
    return true;
  }

 private:
  std::string_view m_left;
};

/// "every=5000", "every=100 messages", "every=10 ms", "every=event".
bool reads_trigger(reader& from, coalescing& to) {
  constexpr std::int64_t k_ms_ns = 1'000'000;
  if (from.takes("event")) {
    to.trigger = coalescing_trigger::event;
    return true;
  }
  if (!from.takes_number(to.every) || to.every < 1) return false;
  from.takes(" ");
  if (from.takes("messages")) {
    to.trigger = coalescing_trigger::messages;
  } else if (from.takes("ms")) {
    if (to.every > k_ms_ns) return false;
    to.trigger = coalescing_trigger::period;
    to.every *= k_ms_ns;
  } else {
    from.takes("parcels");
  }
  return true;
}

bool reads_search(reader& from, coalescing& to) {
  do {
    if (from.takes("nelder-mead")) {
      to.search = search_strategy::nelder_mead;
    } else if (from.takes("parallel-rank-order")) {
      to.search = search_strategy::parallel_rank_order;
    } else if (from.takes("start=random")) {
      to.starts_at_random = true;
    } else if (from.takes("start=")) {
      if (!from.takes_number(to.parcels) || to.parcels == 0 || !from.takes("/") || !from.takes_us(to.interval_ns))
        return false;
    } else if (from.takes("every=")) {
      if (!reads_trigger(from, to)) return false;
    } else if (!from.takes("seed=") || !from.takes_number(to.seed)) {
      return false;
    }
  } while (from.takes(","));
  return true;
}

bool reads(reader from, coalescing& to) {
  if (from.takes("off")) {
    to.how = coalescing_kind::off;
  } else if (from.takes("adaptive")) {
    if (from.takes(":") &&
        (!from.takes_us(to.hold_ns) || !from.takes(",") || !from.takes_number(to.bytes) || to.bytes < 0))
      return false;
  } else if (from.takes("paper-adaptive")) {
    to.how = coalescing_kind::paper_adaptive;
    if (from.takes(":") && !reads_search(from, to)) return false;
  } else if (from.takes("paper")) {
    to.how = coalescing_kind::paper;
    if (from.takes(":") &&
        (!from.takes_number(to.parcels) || to.parcels == 0 || !from.takes(",") || !from.takes_us(to.interval_ns)))
      return false;
  } else {
    return false;
  }
  return from.is_at_end();
}

} // namespace

coalescing parse_coalescing(std::string_view text) {
  coalescing found;
  if (!reads(reader(text), found))
    throw std::invalid_argument(
        "TREADLE_COALESCING: expected off, paper, paper:PARCELS,MICROSECONDS, adaptive, adaptive:MICROSECONDS,BYTES, "
        "paper-adaptive or paper-adaptive: with any of nelder-mead, parallel-rank-order, start=random, "
        "start=PARCELS/MICROSECONDS, every=PARCELS, every=N messages, every=N ms, every=event, seed=N, separated by "
        "commas; got '" +
        std::string(text) + "'");
  return found;
}

} // namespace treadle::detail
