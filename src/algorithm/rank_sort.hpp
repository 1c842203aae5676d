// Few numbers: the place of each is how many are less, which vectors count without a branch.
#pragma once

#include "algorithm/number_keys.hpp"
#include "base/dispatch.hpp"

namespace treadle::detail {

template <class T, bool Descending>
struct rank_sort {
  static constexpr std::ptrdiff_t k_most = 32;

  TREADLE_LOOP static void run(T* first, std::ptrdiff_t n) {
    using keys = number_keys<T, Descending>;
    using bits = typename keys::key;
    using key = std::make_signed_t<bits>; // what vectors can compare
    constexpr std::ptrdiff_t k_lanes = 8;
    key of[k_most], rank[k_most], sorted[k_most];
    for (std::ptrdiff_t i = 0; i < k_most; ++i) of[i] = std::numeric_limits<key>::max();
    for (std::ptrdiff_t i = 0; i < n; ++i) of[i] = static_cast<key>(keys::of(first[i]) ^ keys::k_sign);
    for (std::ptrdiff_t block = 0; block < k_most; block += k_lanes) {
      key less[k_lanes]{};
      for (std::ptrdiff_t i = 0; i < n; ++i)
        for (std::ptrdiff_t lane = 0; lane < k_lanes; ++lane) less[lane] += of[i] < of[block + lane] ? 1 : 0;
      for (std::ptrdiff_t lane = 0; lane < k_lanes; ++lane) rank[block + lane] = less[lane];
    }
    for (std::ptrdiff_t i = 0; i < n; ++i) sorted[i] = std::numeric_limits<key>::min();
    for (std::ptrdiff_t i = 0; i < n; ++i) sorted[rank[i]] = of[i];
    key last = sorted[0];
    for (std::ptrdiff_t i = 0; i < n; ++i) { // equal ones have one rank, and leave the places behind it free
      last = sorted[i] > last ? sorted[i] : last;
      first[i] = keys::number(static_cast<bits>(last) ^ keys::k_sign);
    }
  }
};

} // namespace treadle::detail
