#include "decide/coalescing_choices.hpp"

#include "base/rng.hpp"

#include <algorithm>
#include <array>

namespace treadle::decide {
namespace {

constexpr std::int64_t k_us = 1000;
constexpr std::int64_t k_usual_bytes = std::int64_t{16} << 10U;

std::vector<std::int64_t> intervals() {
  return {1 * k_us,   2 * k_us,   5 * k_us,   10 * k_us,   20 * k_us,   50 * k_us,
          100 * k_us, 200 * k_us, 500 * k_us, 1000 * k_us, 2000 * k_us, 5000 * k_us};
}

/// Sorted, with one more.
std::vector<std::int64_t> with(std::vector<std::int64_t> values, std::int64_t more) {
  const auto at = std::lower_bound(values.begin(), values.end(), more);
  if (at == values.end() || *at != more) values.insert(at, more);
  return values;
}

std::uint32_t position(const std::vector<std::int64_t>& values, std::int64_t of) {
  return static_cast<std::uint32_t>(std::lower_bound(values.begin(), values.end(), of) - values.begin());
}

std::string us(std::int64_t ns) {
  std::string text = std::to_string(ns / k_us);
  if (ns % k_us != 0) text += "." + std::to_string(k_us + ns % k_us).substr(1);
  return text + " us";
}

} // namespace

coalescing_choices::coalescing_choices(const coalescing& asked) : m_asked(asked) {
  std::int64_t wait_ns = asked.interval_ns, amount = asked.parcels;
  switch (asked.how) {
  case coalescing_kind::off:
  case coalescing_kind::paper:
    m_waits_ns = {wait_ns};
    m_amounts = {amount};
    break;
  case coalescing_kind::adaptive:
    wait_ns = std::max<std::int64_t>(asked.hold_ns, 0);
    amount = asked.bytes >= 0 ? asked.bytes : k_usual_bytes;
    m_waits_ns = {wait_ns};
    if (asked.hold_ns < 0) {
      m_waits_ns = intervals();
      m_waits_ns.insert(m_waits_ns.begin(), 0);
    }
    m_amounts = {amount};
    if (asked.bytes < 0) m_amounts = {1 << 10, 2 << 10, 4 << 10, 8 << 10, 16 << 10, 32 << 10, 64 << 10};
    break;
  case coalescing_kind::paper_adaptive:
    m_waits_ns = with(intervals(), wait_ns);
    m_amounts = with({1, 2, 5, 10, 20, 50, 100, 200, 500, 1000}, amount);
    break;
  }
  m_start = over().point(std::array{position(m_waits_ns, wait_ns), position(m_amounts, amount)});
  if (asked.how == coalescing_kind::paper_adaptive && asked.starts_at_random)
    m_start = detail::xorshift(asked.seed).below(static_cast<std::uint32_t>(over().size()));
}

tune::arm coalescing_choices::gathers_for(std::int64_t wait_ns) const {
  const auto longer = std::upper_bound(m_waits_ns.begin(), m_waits_ns.end(), wait_ns);
  const auto wait = static_cast<std::uint32_t>(std::max<std::ptrdiff_t>(longer - m_waits_ns.begin() - 1, 0));
  return over().point(std::array{wait, static_cast<std::uint32_t>(m_amounts.size() - 1)});
}

tune::arm coalescing_choices::least_felt(double message_ns, double parcel_ns, double parcel_bytes,
                                         double destinations) const {
  const tune::space all = over();
  const auto expected_ns = [&](tune::arm at) {
    const coalescing s = settings(at);
    const double parcels = std::min(static_cast<double>(s.hold_ns) / (parcel_ns * destinations),
                                    static_cast<double>(s.bytes) / parcel_bytes);
    return parcel_ns + message_ns / std::max(parcels, 1.0);
  };
  double least_ns = expected_ns(m_start);
  for (tune::arm at = 0; at < all.size(); ++at) least_ns = std::min(least_ns, expected_ns(at));
  const double enough_ns = std::max(parcel_ns, least_ns) * 1.01;
  for (std::uint32_t wait = 0; wait < m_waits_ns.size(); ++wait)
    for (std::uint32_t amount = 0; amount < m_amounts.size(); ++amount)
      if (const tune::arm at = all.point(std::array{wait, amount}); expected_ns(at) <= enough_ns) return at;
  return m_start;
}

tune::space coalescing_choices::over() const {
  return tune::space({{static_cast<std::uint32_t>(m_waits_ns.size())}, {static_cast<std::uint32_t>(m_amounts.size())}});
}

coalescing coalescing_choices::settings(tune::arm at) const {
  const tune::space all = over();
  const std::int64_t wait_ns = m_waits_ns[all.index(at, 0)], amount = m_amounts[all.index(at, 1)];
  coalescing found = m_asked;
  if (counts_parcels()) {
    if (found.how == coalescing_kind::paper_adaptive) found.how = coalescing_kind::paper;
    found.interval_ns = wait_ns;
    found.parcels = static_cast<unsigned>(amount);
  } else {
    found.hold_ns = wait_ns;
    found.bytes = amount;
  }
  return found;
}

std::string coalescing_choices::text(tune::arm at) const {
  const tune::space all = over();
  return us(m_waits_ns[all.index(at, 0)]) + ", " + std::to_string(m_amounts[all.index(at, 1)]) +
         (counts_parcels() ? " parcels" : " bytes");
}

std::string coalescing_choices::all() const {
  return us(m_waits_ns.front()) + " .. " + us(m_waits_ns.back()) + ", " + std::to_string(m_amounts.front()) + " .. " +
         std::to_string(m_amounts.back()) + (counts_parcels() ? " parcels" : " bytes");
}

} // namespace treadle::decide
