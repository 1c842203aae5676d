// Random pipelines: tasks, coroutines and threads pass items through stages, over channels, queues under a mutex with
// condition variables, and buffers under semaphores, and wait in every way that there is. A seed decides the whole
// program (seeds.hpp says how a failure is replayed). Every item must arrive once, changed by every stage; all of it
// must end; nothing may be left behind.

#include "chaos/chaos.hpp"
#include "stress/changing_concurrency.hpp"
#include "stress/seeds.hpp"
#include "task/wait/hooks_fixture.hpp"

#include <treadle/coroutine.hpp>
#include <treadle/treadle.hpp>

#include <atomic>
#include <chrono>
#include <deque>
#include <memory>
#include <mutex>
#include <random>
#include <stdexcept>
#include <thread>
#include <vector>

namespace treadle {
namespace {

using item = std::uint64_t;
using std::chrono::microseconds;

item change(item x, unsigned stage) { return (x ^ (stage + 1) * 0x9E3779B97F4A7C15u) * 0xBF58476D1CE4E5B9u; }

/// Decisions of one actor.
class choices {
 public:
  explicit choices(std::uint64_t seed) : m_random(seed) {}
  unsigned below(unsigned n) { return static_cast<unsigned>(m_random() % n); }
  microseconds moment() { return microseconds(below(200)); }

 private:
  std::mt19937_64 m_random;
};

/// What connects two stages: as many values as fit wait, the rest of the senders block.
class link {
 public:
  virtual ~link() = default;
  virtual void put(item x, choices& how) = 0;
  /// False when it is closed and empty.
  virtual bool take(item& x, choices& how) = 0;
  virtual void close() = 0;
};

class channel_link final : public link {
 public:
  channel_link(std::size_t capacity, shared_future<void> never) : m_values(capacity), m_never(std::move(never)) {}

  void put(item x, choices& how) override {
    if (how.below(8) == 0) static_cast<void>(m_unused.get()); // a receiver that nobody waits for
    m_values.set(x);
  }
  bool take(item& x, choices& how) override {
    try {
      future<item> next = m_values.get();
      switch (how.below(5)) {
      case 0:
        while (next.wait_for(how.moment()) != future_status::ready) {
        }
        break;
      case 1: {
        auto any = when_any(std::move(next), m_never).get();
        next = std::get<0>(std::move(any.futures));
        break;
      }
      case 2: {
        const shared_future<item> shared = next.share();
        wait_any(shared, m_never);
        x = shared.get();
        return true;
      }
      case 3:
        next = next.then(launch::sync, [](future<item> value) { return value.get(); });
        break;
      default:
        break;
      }
      x = next.get();
      return true;
    } catch (const channel_closed&) {
      return false;
    }
  }
  void close() override { m_values.close(); }

 private:
  channel<item> m_values, m_unused;
  shared_future<void> m_never;
};

class queue_link final : public link {
 public:
  explicit queue_link(std::size_t capacity) : m_capacity(capacity) {}

  void put(item x, choices& how) override {
    std::unique_lock lock(m_mutex);
    wait(lock, m_has_room, how, [this] { return m_values.size() < m_capacity; });
    m_values.push_back(x);
    if (how.below(2) == 0) lock.unlock();
    m_has_values.notify_one();
  }
  bool take(item& x, choices& how) override {
    std::unique_lock lock(m_mutex);
    wait(lock, m_has_values, how, [this] { return !m_values.empty() || m_closed; });
    if (m_values.empty()) return false;
    x = m_values.front();
    m_values.pop_front();
    lock.unlock();
    m_has_room.notify_one();
    return true;
  }
  void close() override {
    const std::lock_guard lock(m_mutex);
    m_closed = true;
    m_has_values.notify_all();
  }

 private:
  template <class Condition>
  void wait(std::unique_lock<mutex>& lock, condition_variable& changed, choices& how, Condition condition) {
    if (how.below(2) == 0) return changed.wait(lock, condition);
    while (!changed.wait_for(lock, how.moment(), condition)) {
      if (how.below(4) != 0) continue;
      lock.unlock();
      this_task::yield();
      lock.lock();
    }
  }

  mutex m_mutex;
  condition_variable m_has_room, m_has_values;
  const std::size_t m_capacity;
  std::deque<item> m_values;
  bool m_closed = false;
};

class buffer_link final : public link {
 public:
  buffer_link(std::size_t capacity, unsigned takers)
      : m_takers(takers), m_room(static_cast<std::ptrdiff_t>(capacity)), m_filled(0) {}

  void put(item x, choices& how) override {
    acquire(m_room, how);
    {
      const std::lock_guard lock(m_mutex);
      m_values.push_back(x);
    }
    m_filled.release();
  }
  bool take(item& x, choices& how) override {
    acquire(m_filled, how);
    {
      const std::lock_guard lock(m_mutex);
      if (m_values.empty()) return false; // closed
      x = m_values.front();
      m_values.pop_front();
    }
    m_room.release();
    return true;
  }
  void close() override { m_filled.release(static_cast<std::ptrdiff_t>(m_takers)); }

 private:
  static void acquire(counting_semaphore<>& which, choices& how) {
    if (how.below(2) == 0) return which.acquire();
    while (!which.try_acquire_for(how.moment())) {
    }
  }

  const unsigned m_takers;
  mutex m_mutex;
  std::deque<item> m_values;
  counting_semaphore<> m_room, m_filled;
};

/// What an actor does between two items, and has to come out right.
void disturb(choices& how) {
  switch (how.below(16)) {
  case 0:
    this_task::yield();
    break;
  case 1:
    this_task::sleep_for(how.moment());
    break;
  case 2: { // a meeting
    latch both(2);
    auto other = async([&both] { both.arrive_and_wait(); });
    both.arrive_and_wait();
    other.get();
    break;
  }
  case 3: { // the second half of a fork lets the first, which blocks, go on
    latch ran(1);
    parallel_invoke([&] { ran.wait(); }, [&] { ran.count_down(); });
    break;
  }
  case 4: { // a group that is cancelled: nothing of it is left when wait() returns
    std::atomic<int> begun{0}, ended{0};
    task_group group;
    for (int i = 0; i < 4; ++i) {
      group.run([&] {
        ++begun;
        this_task::yield();
        ++ended;
      });
    }
    if (how.below(2) == 0) group.cancel();
    group.wait();
    EXPECT_EQ(begun, ended);
    break;
  }
  case 5: { // the oldest of a window of futures, in a pool or with a priority
    std::deque<future<unsigned>> window;
    unsigned sum = 0;
    for (unsigned i = 0; i < 20; ++i) {
      window.push_back(async(parallel_executor(static_cast<priority>(how.below(4))), [i] { return i; }));
      if (window.size() < 4) continue;
      sum += window.front().get();
      window.pop_front();
    }
    for (auto& f : window) sum += f.get();
    EXPECT_EQ(sum, 190u);
    break;
  }
  case 6: { // each of some in the order in which they are ready
    std::vector<future<unsigned>> all;
    for (unsigned i = 0; i < 6; ++i) all.push_back(async([i] { return i; }));
    unsigned sum = 0;
    wait_each([&](future<unsigned>& f) { sum += f.get(); }, all);
    EXPECT_EQ(sum, 15u);
    break;
  }
  case 7: { // exceptions pass a wait inside of a handler
    try {
      throw std::runtime_error("outer");
    } catch (const std::runtime_error& e) {
      EXPECT_THROW(async([] { throw std::logic_error("inner"); }).get(), std::logic_error);
      EXPECT_STREQ(e.what(), "outer");
    }
    break;
  }
  default:
    break;
  }
}

struct stage {
  link* in = nullptr;
  link* out = nullptr;
  unsigned number = 0;
  std::atomic<unsigned> actors{0}; // at work
};

/// Passes items on until there are no more; the last actor of the stage closes what is behind it.
void act(stage& s, std::uint64_t seed) {
  choices how(seed);
  for (item x = 0; s.in->take(x, how);) {
    disturb(how);
    s.out->put(change(x, s.number), how);
  }
  if (s.actors.fetch_sub(1) == 1) s.out->close();
}
future<void> act_as_coroutine(stage& s, std::uint64_t seed) {
  choices how(seed);
  co_await async([] {});
  for (item x = 0; s.in->take(x, how);) {
    const item changed = co_await async([x, &s] { return change(x, s.number); });
    if (how.below(4) == 0) co_await async([&how] { disturb(how); });
    s.out->put(changed, how);
  }
  if (s.actors.fetch_sub(1) == 1) s.out->close();
}

void run_seed(std::uint64_t seed) {
  detail::seed_chaos(seed);
  choices random(seed);
  runtime rt({.workers = 1 + random.below(6)});
  const testing::changing_concurrency changing(rt, seed);
  constexpr item k_items = 150;
  promise<void> never;
  const shared_future<void> open = never.get_future().share();

  const unsigned stages = 1 + random.below(4);
  std::vector<std::unique_ptr<link>> links;
  std::vector<unsigned> actors;
  for (unsigned i = 0; i <= stages; ++i) {
    actors.push_back(1 + random.below(4)); // that take from this link; one, the sink, from the last
    const std::size_t capacity = 1 + random.below(8);
    switch (random.below(3)) {
    case 0:
      links.push_back(std::make_unique<channel_link>(random.below(4) == 0 ? 0 : capacity, open));
      break;
    case 1:
      links.push_back(std::make_unique<queue_link>(capacity));
      break;
    default:
      links.push_back(std::make_unique<buffer_link>(capacity, i < stages ? actors.back() : 1));
    }
  }
  std::vector<std::unique_ptr<stage>> line;
  for (unsigned i = 0; i < stages; ++i) {
    line.push_back(std::make_unique<stage>());
    line.back()->in = links[i].get();
    line.back()->out = links[i + 1].get();
    line.back()->number = i;
    line.back()->actors = actors[i];
  }

  std::vector<std::thread> threads;
  std::vector<future<void>> tasks;
  for (auto& s : line) {
    const unsigned count = s->actors;
    for (unsigned a = 0; a < count; ++a) {
      const std::uint64_t own = seed * 1000 + s->number * 10 + a;
      switch (random.below(4)) {
      case 0:
        threads.emplace_back([&s, own] { act(*s, own); });
        break;
      case 1:
        tasks.push_back(async(launch::fork, [&s, own] { act(*s, own); }));
        break;
      case 2:
        // Begun by a task: as long as nothing suspends it, a coroutine stays with its caller.
        tasks.push_back(async([&s, own] { return act_as_coroutine(*s, own); }));
        break;
      default:
        tasks.push_back(async([&s, own] { act(*s, own); }));
      }
    }
  }
  tasks.push_back(async([&links, seed] {
    choices how(seed + 1);
    for (item i = 1; i <= k_items; ++i) {
      links.front()->put(i, how);
      disturb(how);
    }
    links.front()->close();
  }));

  choices how(seed + 2);
  item count = 0, sum = 0, expected = 0;
  for (item x = 0; links.back()->take(x, how); ++count) sum += x;
  for (item i = 1; i <= k_items; ++i) {
    item x = i;
    for (unsigned s = 0; s < stages; ++s) x = change(x, s);
    expected += x;
  }
  EXPECT_EQ(count, k_items);
  EXPECT_EQ(sum, expected);
  for (auto& t : tasks) t.get();
  for (auto& t : threads) t.join();
  rt.wait_idle();

  EXPECT_EQ(testing::hooks_in(open), 0u) << "a wait has left its hook behind";
  never.set_value();
  EXPECT_LT(rt.statistics().stacks, 200u);
}

TEST(pipeline_stress, every_item_arrives_once) { testing::run_seeds(60, run_seed); }

} // namespace
} // namespace treadle
