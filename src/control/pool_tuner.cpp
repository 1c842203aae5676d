#include <treadle/tune/pool_tuner.hpp>

#include "control/deciding_time.hpp"
#include "control/pool_decision.hpp"
#include "control/recall.hpp"
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

/// Those whose sizes can change, the default one last. That alone, with the size that it has, when tasks
/// `may_be_unordered` and it shares no workers.
std::vector<decide::pool_layouts::pool> pools_to_change(const runtime& of, bool may_be_unordered) {
  std::vector<decide::pool_layouts::pool> found;
  detail::concurrency& active = detail::scheduler::of(of).active;
  const auto& all = detail::scheduler::pools_of(of);
  for (std::size_t i = 0; i < all.size(); ++i)
    if (active.can_resize(i)) found.push_back({all[i]->name, active.can_be_hosted(all[i]->name)});
  std::stable_partition(found.begin(), found.end(), [](const auto& pool) { return pool.name != "default"; });
  if (found.size() >= 2 && found.back().name == "default") return found;
  if (may_be_unordered) return {{"default"}};
  throw std::invalid_argument("pool_tuner: there are no two pools, the pool 'default' among them, that could give each "
                              "other workers, and there is no order of tasks to find out");
}

/// That in force first, each once. Throws where one has no such name.
std::vector<std::string> bindings_to_try(const std::vector<std::string>& wanted, std::string present) {
  std::vector<std::string> result{std::move(present)};
  for (const std::string& one : wanted) {
    std::string name = detail::name_of(detail::binding_from_name(one, "pool_tuner"));
    if (std::find(result.begin(), result.end(), name) == result.end()) result.push_back(std::move(name));
  }
  return result;
}

unsigned workers_of(const runtime& of, const std::vector<decide::pool_layouts::pool>& pools) {
  unsigned n = 0;
  for (const auto& pool : pools) n += detail::scheduler::of(of).active.size_of(pool.name);
  return n;
}

decide::pool_layouts layouts_of(const runtime& of, const pool_tuner::options& wanted) {
  const auto& all = detail::scheduler::pools_of(of);
  // What an order costs is a part of the time in which tasks are executed: that cannot be the measure.
  const bool may_be_unordered = wanted.every_ms == 0 && std::any_of(all.begin(), all.end(), [](const auto& pool) {
                                  return pool->goes_by_paths();
                                });
  auto pools = pools_to_change(of, may_be_unordered);
  const unsigned workers = workers_of(of, pools);
  return {std::move(pools), workers, bindings_to_try(wanted.bindings, of.binding()), may_be_unordered};
}

} // namespace

struct pool_tuner::state final : loop::explained {
  state(runtime& of, const options& wanted)
      : runs(of),
        choice(layouts_of(of, wanted),
               {wanted.name, static_cast<double>(wanted.window_ns), wanted.budget, wanted.advance}) {
    for (const auto& pool : choice.places.pools()) pools.push_back(pool.name);
    for (const std::string& one : wanted.bindings) detail::prepare(detail::binding_from_name(one, "pool_tuner"));
    const detail::scoped_lock held(lock); // explain() may ask already
    begin();
    apply();
    detail::publish_thread_counters();
    if (wanted.every_ms > 0) {
      executing.emplace("/threads/time/cumulative");
      by_itself = every(std::chrono::milliseconds(wanted.every_ms), [this] { look(); });
    }
  }
  ~state() {
    by_itself.end(); // before what it uses
    choice.choose_best();
    apply();
  }

  unsigned budget() const noexcept { return detail::scheduler::of(runs).active.budget(); }
  void begin() {
    const auto present = [this] {
      std::vector<unsigned> sizes;
      for (const std::string& pool : pools) sizes.push_back(detail::scheduler::of(runs).active.size_of(pool));
      return choice.places.closest(sizes, runs.binding());
    };
    choice.begin(budget(), present,
                 [this](const loop::context& of) { return detail::recall(*this, choice.decision, of, choice.all()); });
  }

  void apply() noexcept {
    try {
      if (runs.workers() == 0) return; // a child of fork() has none of its workers
      const std::string_view name = choice.places.binding(choice.at());
      const detail::binding how = detail::binding_from_name(name, "pool_tuner");
      detail::scheduler::of(runs).active.arrange(pools, choice.places.sizes(choice.at()),
                                                 name.empty() ? nullptr : &how);
      if (!choice.places.chooses_order()) return;
      for (const auto& pool : detail::scheduler::pools_of(runs))
        pool->set_ordering(choice.places.is_ordered(choice.at()));
    } catch (...) { // no memory: they stay as they are
    }
  }

  void done(double units, double ns, std::int64_t now_ns) {
    const detail::scoped_try_lock held(lock);
    if (!held || !(units > 0) || !(ns > 0) || runs.workers() == 0) return;
    const detail::deciding_time timed(choice.decision);
    const tune::arm before = choice.at();
    if (choice.known().of.workers != budget()) {
      choice.interrupt();
      begin();
      choice.choose(now_ns);
    } else {
      choice.done(units, ns, now_ns);
    }
    if (choice.at() != before) apply();
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
    for (const auto& one : choice.contexts) {
      to.push_back(loop::report(choice.decision, one->of, one->search, choice));
      to.back().present = one.get() == &choice.known();
    }
  }
  bool try_lock() noexcept override { return lock.try_lock(); }
  void unlock() noexcept override { lock.unlock(); }

  runtime& runs;
  detail::pool_decision choice;
  std::vector<std::string> pools;
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
  m_state = nullptr; // which leaves its best choice, before that of the other one
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
  return m_state->choice.places.sizes_text(m_state->choice.at());
}
std::string pool_tuner::binding() const { return m_state->runs.binding(); }
bool pool_tuner::is_ordering() const {
  const detail::scoped_lock held(m_state->lock);
  return m_state->choice.places.is_ordered(m_state->choice.at());
}
bool pool_tuner::settled() const {
  const detail::scoped_lock held(m_state->lock);
  return m_state->choice.known().search.settled();
}
unsigned pool_tuner::windows() const {
  const detail::scoped_lock held(m_state->lock);
  return static_cast<unsigned>(m_state->choice.known().search.windows());
}

} // namespace treadle
