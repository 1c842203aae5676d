#pragma once

#include <treadle/tune/knob.hpp>
#include <treadle/tune/rule.hpp>
#include <treadle/tune/search_options.hpp>
#include <treadle/tune/tuning_store.hpp>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace treadle {

namespace detail {
struct session_state;
struct session_context;
class session_driver;

/// Which combinations of values a session may choose, by their positions in the domains of its knobs.
class constraint {
 public:
  virtual ~constraint() = default;
  virtual bool allows(const std::uint32_t* positions) = 0;
};

template <class F, class... Ts>
class constraint_on final : public constraint {
 public:
  explicit constraint_on(F f, const knob<Ts>&... knobs) : m_function(std::move(f)), m_knobs(knobs...) {}
  bool allows(const std::uint32_t* positions) override { return ask(positions, std::index_sequence_for<Ts...>()); }

 private:
  template <std::size_t... I>
  bool ask(const std::uint32_t* at, std::index_sequence<I...> /*all*/) {
    return m_function(std::get<I>(m_knobs).values().values()[at[I]]...);
  }

  F m_function;
  std::tuple<const knob<Ts>&...> m_knobs;
};
} // namespace detail

/// A measurement of one combination of values, which are in the knobs while it lasts. Report it once; one that is
/// dropped without, as when what it measures throws, says nothing.
class trial {
 public:
  trial() = default;
  trial(trial&& other) noexcept;
  trial& operator=(trial&& other) noexcept;
  ~trial();

  /// What it cost, in any unit: positive and finite, otherwise it says nothing and is counted in status::voids. So does
  /// one whose knobs somebody else has set meanwhile.
  void report(double cost);
  /// That it cost the time since next(), for this many units of work. No work, no report.
  void report_time(double units = 1);
  /// The values do not work at all.
  void fail();

 private:
  friend class session;
  void end(std::optional<double> cost, double work);

  std::shared_ptr<detail::session_state> m_session; // null: done
  detail::session_context* m_context = nullptr;
  std::uint64_t m_number = 0, m_at = 0;
  std::int64_t m_start_ns = 0;
};

/// One search over some knobs, for the values that make something cheap, as long as it lives.
///
///     treadle::knob grain{"stencil.grain", treadle::powers_of_two<std::size_t>(64, 65536), std::size_t{1024}};
///     treadle::session tuning("stencil.step", {}, grain);
///     for (int t = 0; t < steps; ++t) {
///       auto trial = tuning.next();
///       step(grid, grain);
///       trial.report_time();
///     }
///
/// It never freezes: a bandit goes on trying, within its budget, and a search that has converged goes on watching the
/// cost of its result, and begins again when that has changed for good. Sessions take turns: while one tries something,
/// the others stay with the best they know, because they would measure each other.
///
/// Safe to use from several threads, which then share trials; no lock is held while user code runs. next() and report()
/// together cost less than a microsecond.
class session {
 public:
  /// Throws std::invalid_argument when there is something wrong with the options or when another session has one of the
  /// knobs.
  template <class... Ts>
  session(std::string name, const search_options& wanted, knob<Ts>&... knobs)
      : session(std::move(name), wanted, std::vector<detail::knob_base*>{&knobs...}) {}
  /// Only combinations for which `allowed(a, b, ...)` is true, with values of the knobs in their order:
  ///
  ///     treadle::session tuning("farm", {}, [&](int a, int b) { return a + b <= workers(); }, readers, writers);
  ///
  /// It is asked each time when a choice is made, so its answer may change; without a lock, by all threads that call
  /// next() or pause() and by the one that ends the session. What it throws next() throws, and then nothing was chosen.
  /// Where the values in the knobs are not allowed, the search begins with the nearest that are. Knobs are set one
  /// after the other, in an order in which what is in them meanwhile is allowed, too, where smaller values always are.
  template <class F, class... Ts>
    requires(sizeof...(Ts) > 0 && std::is_invocable_r_v<bool, F&, const Ts&...>)
  session(std::string name, const search_options& wanted, F allowed, knob<Ts>&... knobs)
      : session(std::move(name), wanted, std::vector<detail::knob_base*>{&knobs...},
                std::make_unique<detail::constraint_on<F, Ts...>>(std::move(allowed), knobs...)) {}
  /// The same for knobs of which the number is known at run time only. No constraint: all combinations are allowed.
  session(std::string name, const search_options& wanted, std::vector<detail::knob_base*> knobs,
          std::unique_ptr<detail::constraint> allowed = nullptr);
  /// Leaves the best values in the knobs (those that are there, when its constraint throws), and saves when it
  /// remembers.
  ~session();
  session(session&&) noexcept = default;
  session& operator=(session&&) = delete;

  /// Begins with what an earlier run has saved, after a check that it still holds, and leaves its own results to the
  /// store, also when another one is remembered by the whole process. Before the first next(). The store lives longer.
  void remember_in(tuning_store& store);

  /// Puts values into the knobs. What is learned is kept apart for each context, say "log2n=20" for inputs of some
  /// size, and for each number of workers. While another trial lasts it is the same one again; in another context, its
  /// result says nothing. Throws what on_change() of a knob has thrown first, when all have their values; what the
  /// constraint has thrown, and std::invalid_argument when it allows nothing.
  [[nodiscard]] trial next(std::string_view context = {});

  /// Only the best values, from now on until resume().
  void pause();
  void resume();
  /// Searches again: something has changed.
  void reopen();

  struct status {
    bool trying = false;                     ///< the values in the knobs are being tried
    bool converged = false;                  ///< the search is done, and watches; local_ucb never is
    std::string best;                        ///< values, in the order of the knobs: "1024, 8"
    std::vector<std::uint32_t> best_choices; ///< the same as positions in their domains; empty: an unknown context
    unsigned epoch = 0;                      ///< how often it has begun again
    std::uint64_t windows = 0, voids = 0;
    double exploring_ns = 0;        ///< that tries took longer than the best would have
    double tuner_ns = 0;            ///< time spent in next() and report()
    std::vector<tuned_point> known; ///< in this epoch, most windows first
  };
  status look(std::string_view context = {}) const;

  const std::string& name() const noexcept;

 private:
  friend class detail::session_driver;
  static trial next_of(const std::shared_ptr<detail::session_state>& of, std::string_view context);
  static void leave_best(detail::session_state& of) noexcept;

  std::shared_ptr<detail::session_state> m_state;
};

/// What a driven session makes small: a number over a window.
class objective {
 public:
  virtual ~objective() = default;
  virtual void begin() = 0; ///< of a window
  virtual double end() = 0; ///< NaN: nothing happened, so the window says nothing
};

/// f() gives the cost of the time since it was called last.
template <class F>
std::unique_ptr<objective> minimize(F f) {
  struct by_function final : objective {
    explicit by_function(F g) : function(std::move(g)) {}
    void begin() override {}
    double end() override { return static_cast<double>(function()); }
    F function;
  };
  return std::make_unique<by_function>(std::move(f));
}
/// The cost is how much one counter grows for each unit of another: "/threads/time/overall" per
/// "/threads/count/cumulative" for example.
std::unique_ptr<objective> minimize_rate(std::string_view counter, std::string_view per);
/// The session looks for what makes a counter grow most in a second.
std::unique_ptr<objective> maximize_rate(std::string_view counter);

namespace detail {
rule drive_session(session& what, double period_ns, std::unique_ptr<objective> cost);
}

/// Lets a session run by itself: each period (a std::chrono::duration) is one trial, or longer where a change takes
/// longer. Where there is a runtime, the objective and what knobs tell run in its tasks, and may wait. The session,
/// which may be moved meanwhile, lives longer than the rule, which leaves the best values in the knobs when it ends.
/// Throws what every() does.
template <class Duration>
[[nodiscard]] rule drive(session& what, const Duration& period, std::unique_ptr<objective> cost) {
  return detail::drive_session(what, detail::duration_ns(period), std::move(cost));
}

} // namespace treadle
