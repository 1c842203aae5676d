// For tests: a decision in a program that is simulated. Time passes as its costs say.
#pragma once

#include "loop/account.hpp"
#include "loop/state.hpp"

#include "base/rng.hpp"

#include <algorithm>
#include <cmath>

namespace treadle::loop {

class simulated {
 public:
  explicit simulated(state& s, double share = 0.01, std::uint64_t seed = 1)
      : m_state(s), m_account(share), m_random(seed) {
    m_account.credit_ns(m_now_ns);
  }

  /// One sample of `work` units, of which each takes cost(arm) ns, with some noise. Gives the arm.
  template <class Cost>
  arm run(Cost cost, double work = 1, double noise = 0.02) {
    const arm at = m_state.next(m_account.credit_ns(m_now_ns, m_state.next_loss_ns()));
    const double expected = cost(at), ns = expected * std::exp(noise * normal());
    m_now_ns += static_cast<std::int64_t>(ns * work);
    m_account.spend(m_state.report(at, {ns, work, ns * work}).lost_ns);
    m_spent += expected * work;
    return at;
  }
  double spent_ns() const noexcept { return m_spent; } ///< without the noise
  double normal() noexcept {                           // about
    double sum = 0;
    for (int i = 0; i < 12; ++i) sum += static_cast<double>(m_random() >> 11) * 0x1p-53;
    return sum - 6;
  }

 private:
  state& m_state;
  account m_account;
  detail::xorshift m_random;
  std::int64_t m_now_ns = 1;
  double m_spent = 0;
};

} // namespace treadle::loop
