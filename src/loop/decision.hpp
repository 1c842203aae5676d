// One thing that the program adapts, and the path that all of them take: a window of samples, what it says, a choice.
#pragma once

#include "loop/ledger.hpp"
#include "loop/state.hpp"
#include "loop/turns.hpp"
#include "observe/emit.hpp"

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace treadle::loop {

/// What else the best choice depends on. Another context has another state, and loses nothing.
struct context {
  unsigned workers = 0;   ///< that could take tasks; 0: there is no runtime
  std::string label = {}; ///< what the program says about its input
};
/// "n = 1000, 2 workers"; the label alone where there are none.
std::string to_string(const context& c);

/// What is known in each context: of any type with a context `of`. They stay where they are.
template <class T>
class by_context {
 public:
  /// Null when there is none.
  T* find(unsigned workers, std::string_view label) const noexcept {
    for (const auto& one : m_all)
      if (one->of.workers == workers && one->of.label == label) return one.get();
    return nullptr;
  }
  /// The latest, whatever the workers.
  T* find_last(std::string_view label) const noexcept {
    for (auto one = m_all.rbegin(); one != m_all.rend(); ++one)
      if ((*one)->of.label == label) return one->get();
    return nullptr;
  }
  T& add(std::unique_ptr<T> one) { return *m_all.emplace_back(std::move(one)); }
  /// The one there is, or what make() makes.
  template <class Make>
  T& in(unsigned workers, std::string_view label, Make make) {
    T* const known = find(workers, label);
    return known ? *known : add(make());
  }

  auto begin() const noexcept { return m_all.begin(); }
  auto end() const noexcept { return m_all.end(); }

 private:
  std::vector<std::unique_ptr<T>> m_all;
};

/// Names choices.
class choice_names {
 public:
  virtual std::string operator()(arm at) const = 0;
  virtual std::string all() const = 0; ///< one name for what there is to choose from

 protected:
  ~choice_names() = default;
};

/// What every kind of decision gets from the loop: a share of the one budget, turns, and a place in the books. One
/// thread at a time.
class decision {
 public:
  /// `instance`: its name. `budget`: as search_options has it. `advance`: this many windows may be lost before time has
  /// earned them, where the budget is its own; what was lost is earned all the same before anything else is tried.
  explicit decision(decision_kind what, std::string instance, double budget = -1, double advance = 0) noexcept
      : m_kind(what),
        m_instance(std::move(instance)),
        m_advance(budget > 0 ? advance : 0),
        m_own(std::max(budget, 0.0)),
        m_account(budget >= 0 ? m_own : the_ledger.exploring) {}
  ~decision() { the_turns.leave(this); }
  decision(const decision&) = delete;
  decision& operator=(const decision&) = delete;

  /// What to run now in a context. `names`: for traces.
  arm next(state& in, std::int64_t now_ns, const choice_names& names, bool may_try = true) {
    const double need = may_try ? in.next_loss_ns() : 0;
    const bool tries = need > 0 && may_lose(need, in, now_ns);
    const arm at = in.next(tries ? need : state::k_no_tries);
    if (!in.is_trying())
      end_turn();
    else if (tries)
      tell("tries", names, at);
    return at;
  }
  state::outcome report(state& in, arm at, const sample& s, const choice_names& names) {
    return booked(in, in.report(at, s), names);
  }
  state::outcome fail(state& in, arm at, double ns, const choice_names& names) {
    return booked(in, in.fail(at, ns), names);
  }
  /// What is being tried ends without a result.
  void interrupt(state& in) noexcept {
    the_ledger.explored(m_kind, m_account, in.interrupt());
    end_turn();
  }

  /// Measuring and deciding took so long.
  void decided(double ns) noexcept {
    m_deciding_ns += ns;
    the_ledger.decided(m_kind, ns);
  }
  decision_kind kind() const noexcept { return m_kind; }
  const std::string& instance() const noexcept { return m_instance; }
  double deciding_ns() const noexcept { return m_deciding_ns; }

 private:
  static constexpr double k_least_lease_ns = 20e6, k_lease_windows = 4, k_most_need_ns = 1e9;

  bool may_lose(double need_ns, const state& in, std::int64_t now_ns) noexcept {
    const double credit_ns = m_account.credit_ns(now_ns, need_ns) + m_advance * in.usual_ns();
    const bool can_pay = need_ns <= credit_ns, shares = &m_account != &m_own;
    if (!can_pay && !(shares && need_ns < state::k_no_limit)) return false;
    const double lease_ns = std::max(k_least_lease_ns, k_lease_windows * in.usual_ns());
    const turns::request wanted{this, std::min(need_ns, k_most_need_ns), static_cast<std::int64_t>(lease_ns), can_pay,
                                shares};
    return m_has_turn = the_turns.take(wanted, now_ns);
  }
  void end_turn() noexcept {
    if (std::exchange(m_has_turn, false)) the_turns.done(this);
  }
  state::outcome booked(const state& in, const state::outcome& o, const choice_names& names) {
    the_ledger.explored(m_kind, m_account, o.lost_ns);
    detail::tuning_costs& books = detail::tuning_total[m_kind];
    if (o.is_void) detail::count(books.voids);
    if (o.reopens) {
      detail::count(books.reopenings);
      tell("begins again with", names, in.best());
    }
    if (o.changes) tell("changes to", names, in.best());
    if (o.completes_window) {
      detail::count(books.windows);
      end_turn();
    }
    return o;
  }

  /// In traces.
  void tell(const char* what, const choice_names& names, arm at) const noexcept {
    if (detail::is_wanted(detail::event_kind::decision)) trace(what, names, at);
  }
  void trace(const char* what, const choice_names& names, arm at) const noexcept;

  const decision_kind m_kind;
  const std::string m_instance;
  const double m_advance;
  account m_own;
  account& m_account; // its own, or that of the process
  bool m_has_turn = false;
  double m_deciding_ns = 0;
};

} // namespace treadle::loop
