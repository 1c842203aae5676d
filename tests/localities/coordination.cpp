// Cases of localities_program: actions that return futures, channels and latches, priorities, objects that move.
#include "program.hpp"

#include <treadle/localities/channel.hpp>
#include <treadle/localities/collectives.hpp>
#include <treadle/localities/latch.hpp>
#include <treadle/localities/migratable.hpp>
#include <treadle/observe/counters.hpp>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <memory>
#include <mutex>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

#include <cereal/types/memory.hpp>
#include <cereal/types/string.hpp>
#include <cereal/types/vector.hpp>

namespace treadle::testing {
namespace {
void note_urgent(int i);
struct urgent_list {
  void note(int i) { note_urgent(i); }
};
} // namespace
} // namespace treadle::testing
template <>
inline constexpr treadle::priority treadle::action_priority<&treadle::testing::note_urgent> =
    treadle::priority::critical;
template <>
inline constexpr treadle::priority treadle::action_priority<&treadle::testing::urgent_list::note> =
    treadle::priority::critical;

namespace treadle::testing {
namespace {

int added(int a, int b) { return a + b; }
int refuses(int x) { throw std::invalid_argument("cannot take " + std::to_string(x)); }
unsigned own_number() { return find_here().number(); }
void forget(int) {}
std::unique_ptr<int> give_pointer(int x) { return std::make_unique<int>(x); }
std::unique_ptr<int> pass_pointer(std::unique_ptr<int> x) {
  ++*x;
  return x;
}
std::string greet_number(int x) { return std::to_string(x) + " in " + std::to_string(find_here().number()); }

promise<int> answer; // of the next
std::atomic<int> asked{0};
future<int> asks() {
  future<int> wanted = answer.get_future();
  ++asked;
  return wanted;
}
shared_future<std::string> shared_answer() { return make_ready_future(std::string("shared")).share(); }
future<void> fails_later() {
  return async([] { throw std::domain_error("later"); });
}
future<int> never_asked(int x) { throw std::invalid_argument("at once " + std::to_string(x)); }
void answers(int x) {
  until([] { return asked >= 1; });
  answer.set_value(x);
}

} // namespace

/// An action that returns a future: its caller has the value when it is there, and no task waits.
void futures_of_actions() {
  communicator all("futures");
  const locality next((find_here().number() + 1) % num_localities());
  future<int> question = async<asks>(next);
  REQUIRE(!question.is_ready());
  post<answers>(next, 42 + static_cast<int>(next.number()));
  REQUIRE(question.get() == 42 + static_cast<int>(next.number()));
  for (const locality there : find_all_localities()) {
    REQUIRE(async<direct<shared_answer>>(there).get() == "shared");
    // What is thrown, also where it was passed on: once, with the place where that was.
    const auto fails_in = [](const char* with, locality origin, auto call) {
      try {
        static_cast<void>(call().get());
      } catch (const remote_error& e) {
        const char* const by = std::strstr(e.what(), ", thrown by the action ");
        return e.origin() == origin && std::strstr(e.what(), with) && by && !std::strstr(by + 1, ", thrown by");
      } catch (const std::exception& e) {
        return origin == find_here() && std::strstr(e.what(), with) != nullptr;
      }
      return false;
    };
    REQUIRE(fails_in("later", there, [&] { return async<fails_later>(there); }));
    REQUIRE(fails_in("at once 3", there, [&] { return async<never_asked>(there, 3); }));
    // F's result goes to the next one.
    for (const locality then : find_all_localities()) {
      REQUIRE(
          (async_continue<added, greet_number>(there, then, 3, 4).get() == "7 in " + std::to_string(then.number())));
      REQUIRE((async_continue<direct<forget>, direct<own_number>>(there, then, 1).get() == then.number()));
      REQUIRE((*async_continue<give_pointer, pass_pointer>(there, then, 8).get() == 9));
      REQUIRE(fails_in("cannot take 5", there, [&] { return async_continue<refuses, greet_number>(there, then, 5); }));
      if (then == there || then != find_here())
        REQUIRE(fails_in("cannot take 11", then, [&] { return async_continue<added, refuses>(there, then, 5, 6); }));
    }
  }
  barrier(all).get();
}

namespace {

void arrive(const remote_latch& at) { at.count_down(); }
void send_up_to(const remote_channel<std::vector<int>>& to, int n) {
  for (int i = 1; i <= n; ++i) to.set(std::vector<int>(static_cast<std::size_t>(i), i));
}

} // namespace

/// Made by one locality, used by all of them.
void latches_and_channels() {
  communicator all("coordination");
  const int n = static_cast<int>(num_localities());
  const auto gate = broadcast(all, find_here().number() == 0 ? remote_latch::make(2 * n) : remote_latch()).get();
  future<void> open = gate.wait();
  barrier(all).get();
  REQUIRE(!open.is_ready());
  gate.count_down();
  for (const locality one : find_all_localities())
    if (find_here().number() == 0) post<arrive>(one, gate);
  open.get();
  gate.arrive_and_wait(0).get();
  REQUIRE(remote_latch::make(0).wait().is_ready());
  try {
    static_cast<void>(remote_latch::make(-1));
    REQUIRE(false);
  } catch (const std::invalid_argument& e) {
    REQUIRE(std::strstr(e.what(), "a count of -1"));
  }

  // Each receives what the others send it, those of one sender in order.
  constexpr int k_values = 300;
  const auto mine = remote_channel<std::vector<int>>::make();
  for (const locality one : find_all_localities()) post<send_up_to>(one, mine, k_values);
  std::int64_t sum = 0;
  for (int i = 0; i < n * k_values; ++i) {
    const std::vector<int> value = mine.get().get();
    REQUIRE(!value.empty() && value.size() == static_cast<std::size_t>(value.back()));
    sum += value.back();
  }
  REQUIRE(sum == std::int64_t{n} * k_values * (k_values + 1) / 2);
  // From afar: who asks before there is something, order, the end.
  const auto theirs = all_gather(all, mine).get()[(all.rank() + 1) % all.size()];
  future<std::vector<int>> early = theirs.get();
  for (int i = 1; i <= k_values; ++i) theirs.set({i});
  theirs.close();
  REQUIRE(early.get() == std::vector<int>{1});
  for (int i = 2; i <= k_values; ++i) REQUIRE(theirs.get().get() == std::vector<int>{i});
  try {
    static_cast<void>(theirs.get().get());
    REQUIRE(false);
  } catch (const std::exception& e) {
    REQUIRE(std::strstr(e.what(), "the channel is closed"));
  }
  try {
    remote_channel<int>().set(1);
    REQUIRE(false);
  } catch (const std::logic_error& e) {
    REQUIRE(std::strstr(e.what(), "no object"));
  }
  // Nobody will ever set it: that keeps nobody from ending.
  static_cast<void>(theirs.get());
  static auto left = all_gather(all, remote_channel<int>::make()).get()[(all.rank() + 1) % all.size()].get();
  barrier(all).get();
}

namespace {

/// Moves about.
class bag {
 public:
  bag() = default;
  explicit bag(const std::string& name) : m_name(name) {}
  unsigned add(int value) { // members may run at the same time
    const std::lock_guard guard(*m_lock);
    m_values.push_back(value);
    return find_here().number();
  }
  std::int64_t sum() const { return std::accumulate(m_values.begin(), m_values.end(), std::int64_t{0}); }
  const std::string& name() const noexcept { return m_name; }
  void fails() { throw std::domain_error("empty bag"); }
  static inline std::atomic<bool> refuses_to_load{false}; ///< in this locality

  template <class Archive>
  void serialize(Archive& archive) {
    archive(m_name, m_values);
    if (Archive::is_loading::value && refuses_to_load) throw std::length_error("no room for a bag");
  }

 private:
  std::string m_name;
  std::vector<int> m_values;
  std::shared_ptr<std::mutex> m_lock = std::make_shared<std::mutex>();
};
double read(const char* counter) { return counters::counter(counter).value(); }
void fill(const migratable<bag>& which, int n) {
  std::vector<future<unsigned>> all;
  for (int i = 1; i <= n; ++i) all.push_back(async<&bag::add>(which, i));
  for (auto& one : all) static_cast<void>(one.get());
}
void refuse_to_load(bool refuses) { bag::refuses_to_load = refuses; }
void move_about(const migratable<bag>& which, int times) {
  for (int i = 0; i < times; ++i) which.migrate(locality(static_cast<unsigned>(i * 7 + 3) % num_localities())).get();
}

} // namespace

/// The same object wherever it is, and no call is lost or done twice.
void migrations() {
  communicator all("migrations");
  const unsigned n = num_localities();
  for (const locality there : find_all_localities()) {
    const migratable<bag> mine = make_migratable<bag>(there, "mine").get();
    for (unsigned i = 0; i < 2 * n; ++i) {
      const locality next((find_here().number() + i) % n);
      mine.migrate(next).get();
      REQUIRE(mine.where().get() == next && async<&bag::add>(mine, 1).get() == next.number());
      REQUIRE(mine.nearest().where() == next); // as the call has found out
      REQUIRE(async<&bag::name>(mine).get() == "mine" && async<&bag::sum>(mine).get() == i + 1);
    }
    const double hits = read("/agas/count/cache/hits"), misses = read("/agas/count/cache/misses");
    for (int i = 0; i < 5; ++i) static_cast<void>(async<&bag::name>(mine).get());
    REQUIRE(read("/agas/count/cache/hits") == hits + 5 && read("/agas/count/cache/misses") == misses);
    const locality before = mine.nearest().where();
    mine.migrate(there).get();
    REQUIRE(async<&bag::add>(mine, 0).get() == there.number()); // which has left that place
    REQUIRE(read("/agas/count/cache/misses") == misses + (before == there ? 0 : 1));
    REQUIRE(mine.nearest().where() == there);
    try {
      async<&bag::fails>(mine).get();
      REQUIRE(false);
    } catch (const std::exception& e) {
      REQUIRE(std::strstr(e.what(), "empty bag"));
    }
    mine.migrate(locality((there.number() + 1) % n)).get(); // no call is in progress any more
    barrier(all).get();
    // A move that fails leaves it where it was.
    if (find_here().number() == 0 && n > 1) {
      for (const locality to : find_all_localities()) {
        const locality at = mine.where().get();
        if (to == at) continue;
        async<refuse_to_load>(to, true).get();
        try {
          mine.migrate(to).get();
          REQUIRE(false);
        } catch (const std::exception& e) {
          REQUIRE(std::strstr(e.what(), "no room for a bag"));
        }
        async<refuse_to_load>(to, false).get();
        REQUIRE(async<&bag::name>(mine).get() == "mine" && async<&bag::sum>(mine).get() == 2 * n);
        const locality now = mine.where().get();
        REQUIRE(now == at || now == there);
        mine.migrate(to).get();
        REQUIRE(async<&bag::add>(mine, 0).get() == to.number());
      }
    }
    barrier(all).get();
  }
  try {
    static_cast<void>(make_migratable<bag>(find_here()).get().migrate(locality(n)));
    REQUIRE(false);
  } catch (const std::out_of_range& e) {
    REQUIRE(std::strstr(e.what(), "migrate: there is no locality"));
  }
  // Everybody calls and moves the same one at a time.
  migratable<bag> made;
  if (find_here().number() == 0) made = make_migratable<bag>(locality(n - 1), "ours").get();
  const migratable<bag> ours = broadcast(all, made).get();
  constexpr int k_calls = 300, k_moves = 20;
  future<void> moving = async([&] { move_about(ours, k_moves); });
  fill(ours, k_calls);
  async<fill>(locality((find_here().number() + 1) % n), ours, k_calls).get();
  moving.get();
  barrier(all).get();
  REQUIRE(async<&bag::sum>(ours).get() == std::int64_t{2} * n * k_calls * (k_calls + 1) / 2);
}

namespace {

std::vector<int> order;
void note_usual(int i) { order.push_back(i); }
void note_urgent(int i) { order.push_back(i); }
std::atomic<bool> is_held{false}, goes{false};
void holds_worker() {
  is_held = true;
  while (!goes) {
  }
}
bool worker_is_held() { return is_held; }
void let_go() { goes = true; }
std::vector<int> order_so_far() { return order; }

} // namespace

/// With one worker in each locality: urgent actions run first.
void priorities() {
  if (find_here().number() != 0) return;
  const locality last(num_localities() - 1);
  const auto list = make_remote<urgent_list>(last).get();
  future<void> held = async<holds_worker>(last);
  until([&] { return async<direct<worker_is_held>>(last).get(); });
  for (int i = 0; i < 10; ++i) post<note_usual>(last, i);
  future<void> urgent;
  for (int i = 100; i < 110; ++i)
    urgent = i % 2 == 0 ? async<note_urgent>(last, i) : async<&urgent_list::note>(list, i);
  async<direct<let_go>>(last).get(); // behind them
  urgent.get();
  held.get();
  std::vector<int> found;
  while (found.size() < 20) found = async<order_so_far>(last).get();
  REQUIRE(std::is_sorted(found.begin(), found.begin() + 10) && found[0] == 100 && found[9] == 109);
}

} // namespace treadle::testing
