#pragma once

#include "task/engine/runtime_fixture.hpp"

#include <treadle/algorithm.hpp>
#include <treadle/detail/config.hpp>
#include <treadle/this_task.hpp>

#include <rapidcheck.h>

#include <atomic>
#include <random>
#include <vector>

namespace treadle {

/// Called in a loop body, makes it block now and then: what is left of the part is given away as a whole, so that
/// pieces have pieces.
class hiccup {
 public:
  explicit hiccup(unsigned period) noexcept : m_period(detail::k_sanitized ? 7 * period : period) {} // slow there
  void operator()() const {
    if (m_period != 0 && m_calls.fetch_add(1, std::memory_order_relaxed) % m_period == m_period - 1) this_task::yield();
  }

 private:
  unsigned m_period;
  mutable std::atomic<unsigned> m_calls{0};
};

class algorithm_test : public testing::on_workers {
 protected:
  /// check(policy) with policies that cut loops in different ways; in a task, and once on this thread.
  template <class Check>
  static void with_policies(const Check& check) {
    const auto parts = par.with(num_cores{5});
    const auto policies = {par,
                           par.with(dynamic_chunk_size{1}),
                           par.with(dynamic_chunk_size{3}),
                           par.with(guided_chunk_size{2}),
                           par.with(adaptive_chunk_size{}),
                           parts.with(static_chunk_size{1}),
                           parts.with(static_chunk_size{64})};
    async([&] {
      check(seq);
      for (const auto& policy : policies) check(policy);
    }).get();
    check(par.with(static_chunk_size{16}));
  }

  /// check(policy, values) for arrays of many lengths with more or fewer duplicates.
  template <class Check>
  static void with_arrays(const Check& check) {
    std::mt19937 random(GetParam());
    for (std::size_t n : {0u, 1u, 2u, 3u, 17u, 64u, 65u, 1000u, 10'000u}) {
      for (int range : {2, 1000}) {
        std::vector<int> values(n);
        for (int& v : values) v = std::uniform_int_distribution<int>(0, range - 1)(random);
        with_policies([&](const auto& policy) { check(policy, values); });
      }
    }
  }
};

} // namespace treadle
