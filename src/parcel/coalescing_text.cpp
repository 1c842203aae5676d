#include "parcel/coalescing_text.hpp"

#include <charconv>
#include <stdexcept>
#include <string>

namespace treadle::detail {

coalescing parse_coalescing(std::string_view text) {
  constexpr std::string_view k_paper = "paper";
  constexpr std::int64_t k_most_us = 1'000'000;
  if (text == "off") return {.how = coalescing_kind::off};
  if (text == "adaptive") return {.how = coalescing_kind::adaptive};
  coalescing found{.how = coalescing_kind::paper};
  if (text == k_paper) return found;
  if (text.starts_with(k_paper) && text.substr(k_paper.size()).starts_with(':')) {
    const char* const end = text.data() + text.size();
    std::int64_t us = 0;
    const auto [comma, bad_count] = std::from_chars(text.data() + k_paper.size() + 1, end, found.parcels);
    if (bad_count == std::errc() && comma != end && *comma == ',') {
      const auto [rest, bad_interval] = std::from_chars(comma + 1, end, us);
      found.interval_ns = us * 1000;
      if (bad_interval == std::errc() && rest == end && found.parcels > 0 && us >= 0 && us <= k_most_us) return found;
    }
  }
  throw std::invalid_argument(
      "TREADLE_COALESCING: expected off, paper, paper:PARCELS,MICROSECONDS (at least 1, at most " +
      std::to_string(k_most_us) + ") or adaptive, got '" + std::string(text) + "'");
}

} // namespace treadle::detail
