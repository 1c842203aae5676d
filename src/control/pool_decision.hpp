// Which sizes and which binding the pools of a program have next, and whether they order their tasks. Knows no runtime
// and no clock: pool_tuner binds it to a runtime, tests/predict to a simulated one.
#pragma once

#include "decide/pool_layouts.hpp"
#include "loop/decision.hpp"

#include <string>
#include <vector>

namespace treadle::detail {

/// Not copied or moved: it names its choices. One thread at a time.
class pool_decision final : public loop::choice_names {
 public:
  struct options {
    std::string name;
    double window_ns = 0, budget = -1, advance = 0; ///< as pool_tuner::options
    std::uint64_t seed = 1;
  };
  struct context {
    loop::context of;
    loop::state search;
  };

  pool_decision(decide::pool_layouts over, const options& wanted)
      : places(std::move(over)),
        decision(loop::decision_kind::pools, wanted.name, wanted.budget, wanted.advance),
        m_wanted(wanted) {}

  /// With this many workers in all: another number has other best sizes. `start()`: where that begins when it is new;
  /// recall(of): what earlier runs have found.
  template <class Start, class Recall>
  void begin(unsigned workers, Start start, Recall recall) {
    m_known = &contexts.in(workers, "", [&] {
      const loop::context of{workers, {}};
      const tune::arm from = start();
      auto made = std::make_unique<context>(
          context{of, loop::state(places.over(), from, {.window_ns = m_wanted.window_ns, .seed = m_wanted.seed},
                                  places.first_looks(from))});
      made->search.believe(recall(of));
      return made;
    });
    m_at = m_known->search.next(loop::state::k_no_tries);
  }
  /// Work was done with what is present; true when something else is to be tried now, or is the best.
  bool done(double units, double ns, std::int64_t now_ns) {
    decision.report(m_known->search, m_at, {ns / units, units, ns}, *this);
    return choose(now_ns);
  }
  /// What was measured is void, because the number of workers has changed: begin() follows.
  void interrupt() noexcept { decision.interrupt(m_known->search); }
  bool choose(std::int64_t now_ns) {
    const tune::arm before = std::exchange(m_at, decision.next(m_known->search, now_ns, *this));
    return m_at != before;
  }
  void choose_best() { m_at = m_known->search.best(); }

  tune::arm at() const noexcept { return m_at; }
  const context& known() const noexcept { return *m_known; }

  std::string operator()(tune::arm at) const override { return places.text(at); }
  std::string all() const override { return places.all(); }

  const decide::pool_layouts places;
  loop::decision decision;
  loop::by_context<context> contexts;

 private:
  const options m_wanted;
  context* m_known = nullptr;
  tune::arm m_at = 0;
};

} // namespace treadle::detail
