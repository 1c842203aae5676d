#include <treadle/tune/pool_tuner.hpp>

#include "control/deciding_time.hpp"
#include "control/recall.hpp"
#include "decide/pool_sizes.hpp"
#include "loop/reasons.hpp"
#include "task/counters/thread_counters.hpp"
#include "task/engine/scheduler.hpp"

#include <treadle/observe/counters.hpp>
#include <treadle/tune/rule.hpp>

#include <algorithm>
#include <chrono>
#include <optional>
#include <stdexcept>

namespace treadle {
namespace {

/// Those whose sizes can change, the default one last.
std::vector<std::string> pools_to_change(const runtime& of) {
  std::vector<std::string> found;
  const detail::concurrency& active = detail::scheduler::of(of).active;
  const auto& all = detail::scheduler::pools_of(of);
  for (std::size_t i = 0; i < all.size(); ++i)
    if (active.can_resize(i)) found.push_back(all[i]->name);
  std::stable_partition(found.begin(), found.end(), [](const std::string& pool) { return pool != "default"; });
  if (found.size() < 2 || found.back() != "default")
    throw std::invalid_argument(
        "pool_tuner: there are no two pools, the pool 'default' among them, that could give each "
        "other workers");
  return found;
}

class size_names final : public loop::choice_names {
 public:
  size_names(const std::vector<std::string>& pools, const decide::pool_sizes& places, const tune::space& over)
      : m_pools(pools), m_places(places), m_space(over) {}

  std::vector<unsigned> sizes(tune::arm at) const {
    std::vector<std::uint32_t> chosen;
    for (std::size_t d = 0; d < m_space.dimensions().size(); ++d) chosen.push_back(m_space.index(at, d));
    return m_places.sizes(chosen);
  }
  std::string operator()(tune::arm at) const override {
    const std::vector<unsigned> each = sizes(at);
    std::string name;
    for (std::size_t i = 0; i < each.size(); ++i)
      name += (i == 0 ? "" : ",") + m_pools[i] + ":" + std::to_string(each[i]);
    return name;
  }
  std::string all() const override { return (*this)(0) + " .. " + (*this)(m_space.size() - 1); }

 private:
  const std::vector<std::string>& m_pools;
  const decide::pool_sizes& m_places;
  const tune::space& m_space;
};

} // namespace

struct pool_tuner::state final : loop::explained {
  state(runtime& of, const options& wanted)
      : runs(of),
        window_ns(static_cast<double>(wanted.window_ns)),
        pools(pools_to_change(of)),
        places(pools.size(), workers_of(of)),
        over(std::vector<tune::dimension>(pools.size() - 1,
                                          {static_cast<std::uint32_t>(places.choices().size()), true})),
        decision(loop::decision_kind::pools, wanted.name, wanted.budget) {
    const detail::scoped_lock held(lock); // explain() may ask already
    known = &begin_context();
    at = known->search.next(loop::state::k_no_tries);
    apply();
    detail::publish_thread_counters();
    if (wanted.every_ms > 0) {
      executing.emplace("/threads/time/cumulative");
      by_itself = every(std::chrono::milliseconds(wanted.every_ms), [this] { look(); });
    }
  }
  ~state() {
    by_itself.end(); // before what it uses
    at = known->search.best();
    apply();
  }

  struct context {
    loop::context of;
    loop::state search;
  };

  unsigned workers_of(const runtime& of) const {
    unsigned n = 0;
    for (const std::string& pool : pools) n += detail::scheduler::of(of).active.size_of(pool);
    return n;
  }
  size_names names() const { return {pools, places, over}; }

  unsigned budget() const noexcept { return detail::scheduler::of(runs).active.budget(); }
  /// Another number of workers in all has other best sizes.
  context& begin_context() {
    const unsigned workers = budget();
    return contexts.in(workers, "", [&] {
      std::vector<std::uint32_t> start;
      for (std::size_t i = 0; i + 1 < pools.size(); ++i)
        start.push_back(places.closest(detail::scheduler::of(runs).active.size_of(pools[i])));
      const loop::context of{workers, {}};
      auto before = detail::recall(*this, decision, of, names().all());
      auto made =
          std::make_unique<context>(context{of, loop::state(over, over.point(start), {.window_ns = window_ns})});
      made->search.believe(before);
      return made;
    });
  }

  void apply() noexcept {
    try {
      const std::vector<unsigned> wanted = names().sizes(at);
      if (runs.workers() == 0) return; // a child of fork() has none of its workers
      detail::scheduler::of(runs).active.resize_all(pools, wanted);
    } catch (...) { // no memory: they stay as they are
    }
  }

  void done(double units, double ns, std::int64_t now_ns) {
    const detail::scoped_try_lock held(lock);
    if (!held || !(units > 0) || !(ns > 0) || runs.workers() == 0) return;
    const detail::deciding_time timed(decision);
    if (known->of.workers != budget()) {
      decision.interrupt(known->search);
      known = &begin_context();
    } else {
      decision.report(known->search, at, {ns / units, units, ns}, names());
    }
    const tune::arm before = std::exchange(at, decision.next(known->search, now_ns, names()));
    if (at != before) apply();
  }
  /// On the clock's thread.
  void look() {
    const std::int64_t now_ns = detail::steady_now_ns();
    const double executed_ns = executing->value();
    executing->reset();
    done(executed_ns, static_cast<double>(now_ns - std::exchange(since_ns, now_ns)), now_ns);
  }

  void explain(std::vector<decision_report>& to) override {
    const detail::scoped_lock held(lock);
    for (const auto& one : contexts) {
      to.push_back(loop::report(decision, one->of, one->search, names()));
      to.back().present = one.get() == known;
    }
  }
  bool try_lock() noexcept override { return lock.try_lock(); }
  void unlock() noexcept override { lock.unlock(); }

  runtime& runs;
  const double window_ns;
  const std::vector<std::string> pools;
  const decide::pool_sizes places;
  const tune::space over;
  loop::decision decision;
  loop::by_context<context> contexts;
  context* known = nullptr;
  tune::arm at = 0;
  std::int64_t since_ns = detail::steady_now_ns();
  std::optional<counters::counter> executing;
  detail::spinlock lock; // of what explain() reads; a sample that finds it locked is dropped
  rule by_itself;
  loop::explanation asked{*this};
};

pool_tuner::pool_tuner(runtime& of) : pool_tuner(of, options{}) {}
pool_tuner::pool_tuner(runtime& of, const options& wanted) : m_state(std::make_unique<state>(of, wanted)) {}
pool_tuner::pool_tuner(pool_tuner&&) noexcept = default;
pool_tuner& pool_tuner::operator=(pool_tuner&& other) noexcept {
  m_state = nullptr; // which leaves its best sizes, before those of the other one
  m_state = std::move(other.m_state);
  if (m_state) m_state->apply();
  return *this;
}
pool_tuner::~pool_tuner() = default;

void pool_tuner::done(double units) {
  const std::int64_t now_ns = detail::steady_now_ns();
  const auto ns = static_cast<double>(now_ns - std::exchange(m_state->since_ns, now_ns));
  m_state->done(units, ns, now_ns);
}
void pool_tuner::resume() noexcept { m_state->since_ns = detail::steady_now_ns(); }

std::string pool_tuner::sizes() const {
  const detail::scoped_lock held(m_state->lock);
  return m_state->names()(m_state->at);
}
bool pool_tuner::settled() const {
  const detail::scoped_lock held(m_state->lock);
  return m_state->known->search.settled();
}
unsigned pool_tuner::windows() const {
  const detail::scoped_lock held(m_state->lock);
  return static_cast<unsigned>(m_state->known->search.windows());
}

} // namespace treadle
