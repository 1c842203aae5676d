// Cases of localities_program: prefix sums and sorting of partitioned vectors, against those of the standard library.
#include "partitioned.hpp"

#include <treadle/localities/partitioned_scan.hpp>
#include <treadle/localities/partitioned_sort.hpp>

#include <algorithm>
#include <array>
#include <functional>
#include <numeric>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

namespace treadle::testing {
namespace {

/// x -> a x + b, modulo 2^32: one after the other is associative, and does not commute.
using affine = std::array<std::uint32_t, 2>;
affine then_do(const affine& first, const affine& second) {
  return {first[0] * second[0], first[1] * second[0] + second[1]};
}
affine affine_of(int value) { return {static_cast<std::uint32_t>(value) | 1U, static_cast<std::uint32_t>(value)}; }
affine never_twice(const affine& first, const affine& second) {
  if (first[0] == second[0]) throw std::domain_error("the same twice");
  return second;
}

void scans(random_source& random) {
  const std::size_t n = random_size(random);
  const std::vector<int> here = random_values(random, n, 1000);
  const partitioned_vector<int> values = spread(random, here);
  const partitioned_vector<long> sums(n, 0, random_places(random));
  std::vector<long> expected(n);
  inclusive_scan(values, sums).get();
  std::inclusive_scan(here.begin(), here.end(), expected.begin(), std::plus<>(), 0L);
  REQUIRE(all_of_it(sums) == expected);
  exclusive_scan(values, sums, 42).get();
  std::exclusive_scan(here.begin(), here.end(), expected.begin(), 42L);
  REQUIRE(all_of_it(sums) == expected);
  // What does not commute, in place and elsewhere.
  std::vector<affine> steps(n);
  std::transform(here.begin(), here.end(), steps.begin(), affine_of);
  std::vector<affine> all(n);
  const partitioned_vector<affine> maps = spread(random, steps), composed(n, affine(), random_places(random));
  exclusive_scan<then_do>(maps, composed, affine{3, 4}).get();
  std::exclusive_scan(steps.begin(), steps.end(), all.begin(), affine{3, 4}, then_do);
  REQUIRE(all_of_it(composed) == all);
  inclusive_scan<then_do>(maps, maps).get();
  std::inclusive_scan(steps.begin(), steps.end(), all.begin(), then_do);
  REQUIRE(all_of_it(maps) == all);
  exclusive_scan<then_do>(composed, composed, affine{1, 0}).get();
  if (n > 0) REQUIRE((composed.get(0).get() == affine{1, 0}));
}

/// A record that is more than numbers.
struct entry {
  int key = 0;
  std::string name;
  friend bool operator==(const entry&, const entry&) = default;
  template <class Archive>
  void serialize(Archive& archive) {
    archive(key, name);
  }
};
bool by_key(const entry& a, const entry& b) { return a.key < b.key; }
bool by_all(const entry& a, const entry& b) { return std::tie(a.key, a.name) < std::tie(b.key, b.name); }
bool refuses_to_compare(int a, int b) {
  if (a == 77 || b == 77) throw std::domain_error("cannot compare 77");
  return a < b;
}

void sort_once(random_source& random) {
  const std::size_t n = below(random, 8) == 0 ? 20'000 + below(random, 20'000) : random_size(random);
  constexpr std::array k_different{1, 2, 10, 1'000'000};
  std::vector<int> here = random_values(random, n, k_different[below(random, k_different.size())]);
  if (below(random, 4) == 0) std::sort(here.begin(), here.end());
  if (below(random, 4) == 0) std::reverse(here.begin(), here.end());
  const partitioned_vector<int> values = spread(random, here);
  sort(values).get();
  std::sort(here.begin(), here.end());
  REQUIRE(all_of_it(values) == here);
  sort<std::greater<>{}>(values).get();
  REQUIRE(all_of_it(values) == std::vector<int>(here.rbegin(), here.rend()));

  std::vector<entry> records(n / 2);
  for (entry& one : records)
    one = {static_cast<int>(below(random, 6)), "record " + std::to_string(below(random, 1000))};
  const partitioned_vector<entry> spread_records = spread(random, records);
  sort<by_key>(spread_records).get();
  std::vector<entry> sorted = all_of_it(spread_records);
  REQUIRE(std::is_sorted(sorted.begin(), sorted.end(), by_key));
  std::sort(sorted.begin(), sorted.end(), by_all);
  std::sort(records.begin(), records.end(), by_all);
  REQUIRE(sorted == records);
}

} // namespace

void partitioned_scans() {
  if (find_here().number() != 0) return;
  random_source random(20'265);
  for (int i = 0; i < 40; ++i) scans(random);
  const partitioned_vector<affine> none;
  inclusive_scan<then_do>(none, none).get();
  const partitioned_vector<int> one(1);
  const partitioned_vector<long> two(2);
  REQUIRE(says(failure_of([&] { return inclusive_scan(one, two); }), "inclusive_scan: partitioned vectors of 1 and 2"));
  REQUIRE(says(failure_of([&] { return exclusive_scan(one, two, 0); }), "exclusive_scan: partitioned vectors of 1"));
  // What is thrown while segments are added up, or in the first one alone, and when nothing of it is written.
  for (const std::size_t places : {std::size_t{1}, std::size_t{2 * num_localities()}}) {
    const partitioned_vector<affine> values(2 * places, affine{1, 1}, in_blocks(places));
    const partitioned_vector<affine> into(2 * places, affine{5, 5}, in_blocks(places));
    REQUIRE(says(failure_of([&] { return inclusive_scan<never_twice>(values, into).get(), 0; }), "the same twice"));
    if (places > 1) REQUIRE(all_of_it(into) == std::vector<affine>(2 * places, affine{5, 5}));
  }
}

void partitioned_sorts() {
  if (find_here().number() != 0) return;
  random_source random(20'262);
  for (int i = 0; i < 40; ++i) sort_once(random);
  sort(partitioned_vector<int>()).get();
  sort(spread(random, random_values(random, 1000, 10))).get(); // they end with it
  // What Less throws leaves all elements there.
  for (int i = 0; i < 10; ++i) {
    std::vector<int> here(100 + below(random, 3000));
    std::iota(here.begin(), here.end(), 0);
    const partitioned_vector<int> values = spread(random, here);
    REQUIRE(says(failure_of([&] { return sort<refuses_to_compare>(values).get(), 0; }), "cannot compare 77"));
    std::vector<int> left = all_of_it(values);
    std::sort(left.begin(), left.end());
    REQUIRE(left == here);
  }
}

} // namespace treadle::testing
