#pragma once

#include "loop/account.hpp"
#include "observe/tuning_totals.hpp"

namespace treadle::loop {

using detail::decision_kind;

/// What adapting costs the process, and how much it may: one for everything that adapts.
class ledger {
 public:
  static constexpr double k_exploring = 0.01, k_deciding = 0.005; // of the time that passes

  /// What the tries of all decisions may lose against the best that is known.
  account exploring{k_exploring};
  /// What measuring and deciding may take.
  account deciding{k_deciding};

  void decided(decision_kind what, double ns) noexcept {
    deciding.spend(ns);
    add(what, &detail::tuning_costs::deciding_ns, ns);
  }
  /// `from`: the account of who has tried.
  void explored(decision_kind what, account& from, double ns) noexcept {
    from.spend(ns);
    add(what, &detail::tuning_costs::exploring_ns, ns);
  }

 private:
  static void add(decision_kind what, detail::atomic<std::uint64_t> detail::tuning_costs::* to, double ns) noexcept {
    if (ns > 0) (detail::tuning_total[what].*to).fetch_add(static_cast<std::uint64_t>(ns), detail::order::relaxed);
  }
};

/// The process's own.
inline constinit ledger the_ledger{};

} // namespace treadle::loop
