// A program of several localities that checks itself: `localities_program CASE`, started once for each of them.
#include "program.hpp"
#include "tsan_suppressions.hpp"

#include <treadle/localities/channel.hpp>
#include <treadle/localities/collectives.hpp>
#include <treadle/localities/latch.hpp>
#include <treadle/localities/object.hpp>
#include <treadle/observe/counters.hpp>
#include <treadle/runtime.hpp>
#include <treadle/this_task.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using namespace treadle;

std::atomic<std::uint64_t> seen{0};

int add(int a, int b) { return a + b; }
std::string greet(const std::string& name) { return "hello " + name + " from " + std::to_string(find_here().number()); }
std::vector<double> twice(std::vector<double> values) {
  for (double& value : values) value *= 2;
  return values;
}
void greet_back(const std::string& name) { REQUIRE(name.find_first_not_of('x') == std::string::npos); }
void note(std::uint64_t value) { seen.fetch_add(value, std::memory_order_relaxed); }
void note_twice(std::uint64_t value, std::uint64_t again) { note(value == again ? value : 0); }
int fails(int x) { throw std::invalid_argument("cannot take " + std::to_string(x)); }
unsigned where() { return find_here().number(); }
/// Goes round all localities, and back.
int round_trip(unsigned left) {
  if (left == 0) return 0;
  const locality next((find_here().number() + 1) % num_localities());
  return 1 + async<round_trip>(next, left - 1).get();
}
/// Spreads: each call causes two more.
void spread(unsigned depth) {
  seen.fetch_add(1, std::memory_order_relaxed);
  if (depth == 0) return;
  const unsigned here = find_here().number(), n = num_localities();
  post<spread>(locality((here + 1) % n), depth - 1);
  post<spread>(locality((here + depth) % n), depth - 1);
}

void calls() {
  for (const locality other : find_all_localities()) {
    REQUIRE(async<add>(other, 2, 3).get() == 5);
    REQUIRE(async<direct<add>>(other, 2, short{3}).get() == 5);
    REQUIRE(async<where>(other).get() == other.number());
    REQUIRE(async<greet>(other, "you").get() == "hello you from " + std::to_string(other.number()));
    const std::vector<double> large(1'000'000, 1.5);
    REQUIRE(async<twice>(other, large).get() == std::vector<double>(1'000'000, 3));
    try {
      static_cast<void>(async<fails>(other, 7).get());
      REQUIRE(false);
    } catch (const std::invalid_argument& e) {
      REQUIRE(other == find_here());
    } catch (const remote_error& e) {
      REQUIRE(e.origin() == other);
      REQUIRE(std::strstr(e.what(), "invalid_argument: cannot take 7, thrown by the action"));
    }
  }
  REQUIRE(async<round_trip>(find_here(), 20U).get() == 20);
  try {
    post<note>(locality(num_localities()), std::uint64_t{1});
    REQUIRE(false);
  } catch (const std::out_of_range& e) {
    REQUIRE(std::strstr(e.what(), "there is no locality"));
  }
}

void many_futures() {
  const locality other((find_here().number() + 1) % num_localities());
  std::vector<future<int>> results;
  for (int i = 0; i < 20'000; ++i)
    results.push_back(i % 2 == 0 ? async<add>(other, i, 1) : async<direct<add>>(other, i, 1));
  for (int i = 0; i < 20'000; ++i) REQUIRE(results[static_cast<std::size_t>(i)].get() == i + 1);
}

/// Each operation against what it should be, by strings, which do not commute; and over a part of the localities.
void collectives() {
  const auto letter = [](unsigned rank) { return std::string(1, static_cast<char>('a' + rank)); };
  const auto run_over = [&](communicator all) {
    const unsigned n = all.size(), own = all.rank();
    std::string everybody, until_me;
    for (unsigned i = 0; i < n; ++i) everybody += letter(i);
    for (unsigned i = 0; i <= own; ++i) until_me += letter(i);
    for (unsigned root = 0; root < n; ++root) {
      REQUIRE(broadcast(all, "from " + letter(own), root).get() == "from " + letter(root));
      REQUIRE(reduce(all, letter(own), std::plus<>(), root).get() == (own == root ? everybody : ""));
      const std::vector<std::string> gathered = gather(all, letter(own), root).get();
      REQUIRE(gathered.size() == (own == root ? n : 0));
      for (unsigned i = 0; i < gathered.size(); ++i) REQUIRE(gathered[i] == letter(i));
      std::vector<unsigned> parts;
      if (own == root)
        for (unsigned i = 0; i < n; ++i) parts.push_back(10 * i);
      REQUIRE(scatter(all, parts, root).get() == 10 * own);
    }
    REQUIRE(all_reduce(all, letter(own)).get() == everybody);
    REQUIRE(all_reduce(all, own, [](unsigned a, unsigned b) { return a > b ? a : b; }).get() == n - 1);
    REQUIRE(all_gather(all, own).get().back() == n - 1);
    REQUIRE(inclusive_scan(all, letter(own)).get() == until_me);
    REQUIRE(exclusive_scan(all, letter(own), std::string("(")).get() == "(" + until_me.substr(0, own));
    std::vector<unsigned> to_each;
    for (unsigned i = 0; i < n; ++i) to_each.push_back(100 * own + i);
    const std::vector<unsigned> from_each = all_to_all(all, to_each).get();
    for (unsigned i = 0; i < n; ++i) REQUIRE(from_each[i] == 100 * i + own);
    barrier(all).get();
    std::vector<future<int>> at_once; // many that overlap
    for (int k = 0; k < 200; ++k) at_once.push_back(all_reduce(all, k));
    for (int k = 0; k < 200; ++k) REQUIRE(at_once[static_cast<std::size_t>(k)].get() == k * static_cast<int>(n));
  };
  run_over(communicator("all"));
  std::vector<locality> backwards = find_all_localities();
  std::reverse(backwards.begin(), backwards.end());
  run_over(communicator("backwards", backwards));
  std::vector<locality> even;
  for (const locality one : find_all_localities())
    if (one.number() % 2 == 0) even.push_back(one);
  if (find_here().number() % 2 == 0) run_over(communicator("even", even));
  try {
    communicator nobody("nobody", {});
    REQUIRE(false);
  } catch (const std::invalid_argument& e) {
    REQUIRE(std::strstr(e.what(), "communicator nobody: this locality is no member"));
  }
}

/// A communicator of the same name again and again: who is ahead leaves several values under one name.
void repeats() {
  int sum = 0;
  for (int i = 0; i < 300; ++i) {
    communicator again("again");
    sum += reduce(again, i).get();
  }
  if (find_here().number() == 0) REQUIRE(sum == 300 * 299 / 2 * static_cast<int>(num_localities()));
}

/// Locality 1 is gone: calls, collectives and posts fail instead of waiting, and so does what others wait for.
void survives() {
  communicator all("all");
  const auto values = remote_channel<int>::make();
  const auto gate = remote_latch::make(2);
  future<int> value = values.get();
  future<void> opened = gate.wait();
  barrier(all).get();
  if (find_here().number() == 1) {
    testing::until([] { return seen == num_localities() - 1; }); // all others are past it
    std::_Exit(0);
  }
  post<direct<note>>(locality(1), std::uint64_t{1});
  const auto is_missed = [](auto call) {
    try {
      call();
    } catch (const std::runtime_error& e) {
      if (std::strstr(e.what(), "locality 1 has ended without warning")) return true;
      std::fprintf(stderr, "%s\n", e.what());
    }
    return false;
  };
  REQUIRE(is_missed([&] { value.get(); }) && is_missed([&] { opened.get(); }));
  REQUIRE(is_missed([&] { static_cast<void>(values.get().get()); }));
  REQUIRE(is_missed([&] { static_cast<void>(remote_channel<int>::make().get().get()); }));
  for (auto attempt :
       {+[](communicator&) { static_cast<void>(async<where>(locality(1)).get()); },
        +[](communicator& in) { static_cast<void>(in.rank() == 0 ? reduce(in, 1).get() : broadcast(in, 1, 1).get()); },
        +[](communicator&) { post<note>(locality(1), std::uint64_t{1}); }}) {
    try {
      attempt(all);
      REQUIRE(false);
    } catch (const std::runtime_error& e) {
      REQUIRE(std::strstr(e.what(), "locality 1 has ended without warning"));
    }
  }
}

constexpr std::uint64_t k_posts = 100'000;
void posts() {
  for (std::uint64_t i = 1; i <= k_posts; ++i)
    post<direct<note>>(locality((find_here().number() + static_cast<unsigned>(i)) % num_localities()), i);
}

constexpr std::uint64_t k_in_stream = 20'000;
/// Tasks that send streams, each to all localities in turn, and go on in other threads in between.
void streams() {
  std::vector<future<void>> tasks;
  for (unsigned task = 0; task < 6; ++task)
    tasks.push_back(async([task] {
      for (std::uint64_t i = 1; i <= k_in_stream; ++i) {
        const locality to((task + static_cast<unsigned>(i / 100)) % num_localities());
        i % 3 == 0 ? post<direct<note_twice>>(to, i, i) : post<direct<note>>(to, i);
        if (i % 1000 == 0) this_task::yield();
        if (i % 2500 == 0) REQUIRE(async<where>(to).get() == to.number());
      }
    }));
  for (future<void>& task : tasks) task.get();
}

std::atomic<int> alive{0};
/// Counts, and may know another one.
class tally {
 public:
  tally() { ++alive; }
  explicit tally(int begins, const std::string& name = "") : m_value(begins), m_name(name) { ++alive; }
  ~tally() { --alive; }
  tally(const tally&) = delete;
  tally& operator=(const tally&) = delete;
  int add(int more) { return m_value += more; }
  int value() const noexcept { return m_value; }
  std::string name() const { return m_name; }
  unsigned where() { return find_here().number(); }
  void knows(remote<tally> other) { m_other = std::move(other); }
  remote<tally> other() const { return m_other; }
  int ask_other() { return async<&tally::value>(m_other).get(); }
  void fails() { throw std::domain_error("never"); }
  const std::string& name_itself() const noexcept { return m_name; }
  remote<tally> pass_on() const { return m_other; } ///< as direct action

 private:
  std::atomic<int> m_value{0};
  std::string m_name;
  remote<tally> m_other;
};
int alive_here() { return alive; }
/// All over the program.
int alive_everywhere() {
  int sum = 0;
  for (const locality one : find_all_localities()) sum += async<alive_here>(one).get();
  return sum;
}
std::size_t count_of(const std::vector<remote<tally>>& all) { return all.size(); }
int named_value(const std::string& name) { return async<&tally::value>(find_name<tally>(name).get()).get(); }
int value_of(remote<tally> of) { return async<&tally::value>(of).get(); }
/// Passes a reference round and round; the last one asks.
int pass(remote<tally> which, unsigned hops) {
  if (hops == 0) return value_of(which);
  const locality next((find_here().number() + 1) % num_localities());
  return async<pass>(next, which, hops - 1).get();
}

class counted_tally : public tally {
 public:
  using tally::tally;
};
remote<tally> give(unsigned hops, remote<tally> which) {
  if (hops == 0) return which;
  const locality next((find_here().number() + 1) % num_localities());
  return async<give>(next, hops - 1, which).get();
}

/// Made by one locality, used by all of them; ends with the last reference.
void objects() {
  for (const locality there : find_all_localities()) {
    remote<tally> one = make_remote<tally>(there, 5, "five").get();
    REQUIRE(one && one.where() == there && (one.here() != nullptr) == (there == find_here()));
    REQUIRE(async<&tally::where>(one).get() == there.number());
    REQUIRE(async<&tally::name>(one).get() == "five");
    REQUIRE(async<&tally::add>(one, 2).get() == 7);
    REQUIRE(async<direct<&tally::add>>(one, 3).get() == 10);
    post<&tally::add>(one, 10);
    testing::until([&] { return async<direct<&tally::value>>(one).get() == 20; });
    REQUIRE(async<pass>(there, one, 3 * num_localities() + 1).get() == 20);
    for (const locality other : find_all_localities()) REQUIRE(async<value_of>(other, one).get() == 20);
    const remote<tally> copy = async<&tally::other>(one).get();
    REQUIRE(!copy);
    // One object knows another, and keeps it alive.
    const locality next((there.number() + 1) % num_localities());
    async<&tally::knows>(one, make_remote<tally>(next, 77).get()).get();
    REQUIRE(async<&tally::ask_other>(one).get() == 77);
    REQUIRE(async<&tally::other>(one).get().where() == next);
    try {
      async<&tally::fails>(one).get();
      REQUIRE(false);
    } catch (const std::exception& e) {
      REQUIRE(std::strstr(e.what(), "never"));
    }
    // A member that returns a reference, as what is copied while the object is there; of a base; of a setting.
    REQUIRE(async<&tally::name_itself>(one).get() == "five");
    post<&tally::name_itself>(one);
    const remote<counted_tally> derived = make_remote<counted_tally>(there, 1, "derived").get();
    REQUIRE(async<&tally::add>(derived, 4).get() == 5 && async<&counted_tally::name>(derived).get() == "derived");
    set_coalescing<&tally::add>({.how = coalescing_kind::paper, .parcels = 3});
    REQUIRE(async<&tally::add>(one, 0).get() == 20);
    // Handlers pass references on, along chains that use credit up.
    async<&tally::knows>(one, one).get();
    for (int i = 0; i < 5; ++i) {
      const remote<tally> given = async<give>(next, 7U, one).get();
      REQUIRE(given == one && async<direct<&tally::pass_on>>(given).get() == one);
    }
    async<&tally::knows>(one, remote<tally>()).get();
    // The reference ends before the call is executed.
    auto last = async<&tally::add>(one, 1);
    one = remote<tally>();
    REQUIRE(last.get() == 21);
  }
  REQUIRE(!remote<tally>(std::shared_ptr<tally>()));
  try {
    static_cast<void>(register_name("nobody", remote<tally>()));
    REQUIRE(false);
  } catch (const std::logic_error& e) {
    REQUIRE(std::strstr(e.what(), "for no object"));
  }
  try {
    static_cast<void>(async<&tally::value>(remote<tally>()).get());
    REQUIRE(false);
  } catch (const std::logic_error& e) {
    REQUIRE(std::strstr(e.what(), "a call of a member of no object"));
  }
}

/// More references are sent than the credit of one suffices for, along chains.
void references() {
  remote<tally> one = make_remote<tally>(locality(num_localities() - 1), 3).get();
  for (int i = 0; i < 200; ++i) REQUIRE(async<pass>(find_here(), one, 12U).get() == 3);
  std::vector<remote<tally>> copies(1000, one);
  const locality next((find_here().number() + 1) % num_localities());
  REQUIRE(async<count_of>(next, copies).get() == 1000);
}

void names() {
  if (find_here().number() != 0) return;
  const std::vector<remote<tally>> all = make_remotes<tally>(round_robin(5), 1).get();
  for (std::size_t i = 0; i < all.size(); ++i) {
    REQUIRE(all[i].where().number() == i % num_localities());
    REQUIRE(register_name("tally " + std::to_string(i), all[i]).get());
    REQUIRE(!register_name("tally " + std::to_string(i), all[0]).get());
  }
  const locality last(num_localities() - 1);
  for (std::size_t i = 0; i < all.size(); ++i) {
    REQUIRE(find_name<tally>("tally " + std::to_string(i)).get() == all[i]);
    REQUIRE(async<named_value>(last, "tally " + std::to_string(i)).get() == 1);
  }
  REQUIRE(!find_name<tally>("nobody").get());
  try {
    static_cast<void>(find_name<std::string>("tally 0").get());
    REQUIRE(false);
  } catch (const std::runtime_error& e) {
    REQUIRE(std::strstr(e.what(), "has the type") && std::strstr(e.what(), "tally"));
  }
  REQUIRE(unregister_name("tally 0").get() && !unregister_name("tally 0").get());
  REQUIRE(!find_name<tally>("tally 0").get());
}

double read(const char* counter) { return counters::counter(counter).value(); }

/// What everybody has sent has been received by somebody; each call is a parcel there and one back.
void count() {
  constexpr int k_calls = 500;
  communicator all("count");
  barrier(all).get();
  const double sent = read("/parcels/count/sent"), received = read("/parcels/count/received");
  const locality other((find_here().number() + 1) % num_localities());
  std::vector<future<int>> results;
  for (int i = 0; i < k_calls; ++i) results.push_back(async<direct<add>>(other, i, 1));
  for (auto& result : results) static_cast<void>(result.get());
  if (num_localities() > 1) {
    REQUIRE(read("/parcels/count/sent") - sent >= k_calls);
    REQUIRE(read("/parcels/count/received") - received >= k_calls);
    REQUIRE(read("/messages/count/sent") <= read("/parcels/count/sent"));
    REQUIRE(read("/data/count/sent") >= 16.0 * k_calls);
    REQUIRE(read("/coalescing/count/average-parcels-per-message") >= 1);
    REQUIRE(read("/parcels/count/sent@add") >= k_calls && read("/data/count/sent@add") >= 16.0 * k_calls);
    REQUIRE(read("/parcels/count/sent@add") < read("/parcels/count/sent"));
    REQUIRE(read("/parcels/count/sent@nobody") == 0);
    for (int i = 0; i < 64; ++i) static_cast<void>(async<greet>(other, std::string(1000, 'x')).get());
    barrier(all).get();
    REQUIRE(read("/serialize/time/sent") > 0 && read("/serialize/time/received") > 0);
  }
  // Of any locality, read by any other.
  const double own_sent = read("/parcels/count/sent");
  double by_number = 0;
  for (unsigned i = 0; i < num_localities(); ++i) {
    const std::string at = "{locality#" + std::to_string(i) + "/total}";
    REQUIRE(read(("/runtime" + at + "/uptime").c_str()) > 0);
    by_number += read(("/parcels" + at + "/count/sent").c_str());
    counters::counter phases("/threads" + at + "/count/cumulative-phases");
    phases.reset();
    static_cast<void>(async<add>(locality(i), 1, 2).get());
    REQUIRE(phases.value() >= (num_localities() > 1 && i != find_here().number() ? 1 : 0));
  }
  REQUIRE(by_number >= own_sent);
  const counters::group everywhere({"/runtime{locality#*/total}/count/workers"});
  REQUIRE(everywhere.size() == num_localities());
  double workers = 0;
  for (const auto& one : everywhere.read()) workers += one.value;
  const counters::group of_workers({"/threads{locality#*/worker-thread#*}/count/cumulative"});
  REQUIRE(workers >= num_localities() && static_cast<double>(of_workers.size()) == workers);
  const counters::group of_last(
      {"/threads{locality#" + std::to_string(num_localities() - 1) + "/worker-thread#*}/count/cumulative"});
  REQUIRE(static_cast<double>(of_last.size()) * num_localities() == workers);
  try {
    read(("/parcels{locality#" + std::to_string(num_localities()) + "/total}/count/sent").c_str());
    REQUIRE(false);
  } catch (const std::invalid_argument& e) {
    REQUIRE(std::strstr(e.what(), "its instances are locality#"));
  }
  barrier(all).get();
  const auto total = [&](const char* counter) { return all_reduce(all, read(counter)); };
  barrier(all).get();
  const double all_received = total("/parcels/count/received").get(); // which is over when the next begins
  REQUIRE(all_received <= total("/parcels/count/sent").get());
}

/// Nothing grows, however many parcels are sent: each to the next locality, in bursts of which the last one is waited
/// for, because tasks that nobody has executed yet are many, too.
void soak() {
  constexpr int k_burst = 20'000;
  constexpr double k_growth = 64e6; // bytes; of what is not freed at once
  const char* const wanted = std::getenv("TREADLE_STRESS_SECONDS");
  const double seconds = wanted ? std::atof(wanted) : 2;
  const locality next((find_here().number() + 1) % num_localities());
  communicator all("soak");
  static_cast<void>(async([] {}).get()); // counters are there with the runtime
  const auto begun = std::chrono::steady_clock::now();
  double before = 0, passed = 0;
  std::uint64_t sent = 0;
  while (passed < seconds) {
    for (int i = 0; i < k_burst; ++i) {
      if (i % 100 == 0)
        post<greet_back>(next, std::string(static_cast<std::size_t>(i / 10), 'x'));
      else
        post<direct<note>>(next, std::uint64_t{1});
    }
    sent += k_burst - k_burst / 100;
    static_cast<void>(async<where>(next).get());
    if (num_localities() == 1) runtime::current().wait_idle();
    passed = std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
    const double memory = read("/runtime/memory/resident");
    if (before == 0 && passed > seconds / 4) before = memory;
    // The address sanitizer keeps what was freed for a while.
    if (before != 0) REQUIRE(detail::k_sanitized || memory < before + k_growth);
  }
  static_cast<void>(async<direct<where>>(next).get()); // behind all of them
  barrier(all).get();
  const std::uint64_t all_sent = all_reduce(all, sent).get(), all_seen = all_reduce(all, seen.load()).get();
  REQUIRE(all_sent == all_seen);
  if (wanted && find_here().number() == 0)
    std::fprintf(stderr, "%.0f million parcels\n", static_cast<double>(all_sent) / 1e6);
}

/// Before there are localities a name would mean another object afterwards; and after them nothing.
void made_early_and_kept() {
  remote<tally> kept;
  {
    const remote<tally> early(std::make_shared<tally>(1));
    try {
      const localities all;
      REQUIRE(false);
    } catch (const std::logic_error& e) {
      REQUIRE(std::strstr(e.what(), "there are objects already"));
    }
  }
  testing::until([] { return alive == 0; });
  {
    const localities all;
    kept = make_remote<tally>(find_here(), 1).get();
    REQUIRE(kept);
  }
  REQUIRE(!kept && !kept.here() && alive == 0);
}

void run_case(const std::string& name) {
  if (name == "calls") calls();
  if (name == "many_futures") many_futures();
  if (name == "posts") posts();
  if (name == "streams") streams();
  if (name == "collectives") collectives();
  if (name == "count") count();
  if (name == "objects") objects();
  if (name == "references") references();
  if (name == "names") names();
  if (name == "soak") soak();
  if (name == "vectors") testing::partitioned_vectors();
  if (name == "maps") testing::partitioned_maps();
  if (name == "partitioned_algorithms") testing::partitioned_algorithms();
  if (name == "partitioned_faults") testing::partitioned_faults();
  if (name == "partitioned_entries") testing::partitioned_entries();
  if (name == "partitioned_scans") testing::partitioned_scans();
  if (name == "partitioned_sorts") testing::partitioned_sorts();
  if (name == "futures") testing::futures_of_actions();
  if (name == "coordination") testing::latches_and_channels();
  if (name == "priorities") testing::priorities();
  if (name == "migrations") testing::migrations();
  if (name == "large") testing::large_arguments();
  if (name == "large_survives") testing::large_survives();
  if (name == "meaningless") testing::parcels_that_mean_nothing();
  if (name == "stopped") testing::stopped_receiver();
  if (name == "dies") testing::dies();
  if (name == "traced") testing::traced_parcels();
  if (name == "placed") testing::placed_calls();
  if (name == "placements") testing::random_placements();
  if (name == "arrays") testing::distributed_arrays();
  if (name == "products") testing::distributed_products();
  if (name == "diagonals") testing::distributed_diagonals();
  if (name == "convolutions") testing::distributed_convolutions();
  if (name == "array_faults") testing::array_faults();
  if (name == "without_others") testing::array_programs_without_others();
  if (name == "objects" || name == "references") {
    if (find_here().number() == 0) testing::until([] { return alive_everywhere() == 0; });
  }
  if (name == "repeats") repeats();
  if (name == "survives") survives();
  if (name == "spread" && find_here().number() == 0) spread(12);
  if (name == "late" && find_here().number() == 1) this_task::sleep_for_ns(300'000'000);
  if (name == "late") post<note>(locality(0), std::uint64_t{1});
}

int run(const std::string& name) {
  if (name == "early") {
    made_early_and_kept();
    return 0;
  }
  std::uint64_t expected = 0;
  {
    const localities all;
    if (name == "thrown") testing::throws();
    try {
      run_case(name);
    } catch (const std::exception& e) { // the others may wait for this one, and the end would wait for them
      std::fprintf(stderr, "%s: %s, in locality %u\n", name.c_str(), e.what(), find_here().number());
      std::exit(3);
    }
    expected = num_localities();
  }
  REQUIRE(alive == 0);
  // Everything that was sent has run by now.
  if (name == "posts" && expected == 2) std::printf("%llu\n", static_cast<unsigned long long>(seen.load()));
  if (name == "streams") std::printf("%llu\n", static_cast<unsigned long long>(seen.load()));
  if (name == "spread") std::printf("%llu\n", static_cast<unsigned long long>(seen.load()));
  if (name == "late") std::printf("%llu\n", static_cast<unsigned long long>(seen.load()));
  return 0;
}

} // namespace

int main(int argc, char** argv) {
  try {
    return run(argc > 1 ? argv[1] : "");
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
  }
}
