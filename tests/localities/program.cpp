// A program of several localities that checks itself: `localities_program CASE`, started once for each of them.
#include "tsan_suppressions.hpp"

#include <treadle/localities/collectives.hpp>
#include <treadle/observe/counters.hpp>
#include <treadle/runtime.hpp>
#include <treadle/this_task.hpp>

#include <algorithm>
#include <atomic>
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

#define REQUIRE(condition)                                                                                             \
  do {                                                                                                                 \
    if (!(condition)) {                                                                                                \
      std::fprintf(stderr, "%s:%d: %s in locality %u\n", __FILE__, __LINE__, #condition, find_here().number());        \
      std::exit(3);                                                                                                    \
    }                                                                                                                  \
  } while (false)

std::atomic<std::uint64_t> seen{0};

int add(int a, int b) { return a + b; }
std::string greet(const std::string& name) { return "hello " + name + " from " + std::to_string(find_here().number()); }
std::vector<double> twice(std::vector<double> values) {
  for (double& value : values) value *= 2;
  return values;
}
void note(std::uint64_t value) { seen.fetch_add(value, std::memory_order_relaxed); }
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

/// Locality 1 is gone: calls, collectives and posts fail instead of waiting.
void survives() {
  if (find_here().number() == 1) std::_Exit(0);
  communicator all("all");
  const locality gone(1);
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
  }
  const auto total = [&](const char* counter) { return all_reduce(all, read(counter)); };
  barrier(all).get();
  const double all_received = total("/parcels/count/received").get(); // which is over when the next begins
  REQUIRE(all_received <= total("/parcels/count/sent").get());
}

int run(const std::string& name) {
  std::uint64_t expected = 0;
  {
    const localities all;
    if (name == "calls") calls();
    if (name == "many_futures") many_futures();
    if (name == "posts") posts();
    if (name == "collectives") collectives();
    if (name == "count") count();
    if (name == "repeats") repeats();
    if (name == "survives") survives();
    if (name == "spread" && find_here().number() == 0) spread(12);
    if (name == "late" && find_here().number() == 1) this_task::sleep_for_ns(300'000'000);
    if (name == "late") post<note>(locality(0), std::uint64_t{1});
    expected = num_localities();
  }
  // Everything that was sent has run by now.
  if (name == "posts" && expected == 2) std::printf("%llu\n", static_cast<unsigned long long>(seen.load()));
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
