// Cases of localities_program: algorithms over partitioned vectors and maps, against those of the standard library on
// copies.
#include "partitioned.hpp"

#include <treadle/localities/partitioned_algorithms.hpp>
#include <treadle/localities/partitioned_map.hpp>
#include <treadle/observe/counters.hpp>

#include <algorithm>
#include <map>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

namespace treadle::testing {
namespace {

int plus_number(int value, int more) { return value + more; }
double half(int value) { return value / 2.0; }
std::string labelled(int value, const std::string& label) { return label + std::to_string(value); }
double weighted(int a, double b, int factor) { return factor * a + b; }
bool is_less(int value, int than) { return value < than; }
bool is_greater_int(int a, int b) { return a > b; }
bool has_remainder(int value, int of, int remainder) { return value % of == remainder; }
int refuses_from(int value, int bound) {
  if (value >= bound) throw std::domain_error("cannot take " + std::to_string(value) + '.');
  return value;
}
bool refuses_to_compare(int a, int b) { return refuses_from(a, 77) < refuses_from(b, 77); }
bool refuses_predicate(int value, int bound) { return refuses_from(value, bound) < 0; }
bool accepts(int value, int bound) { return refuses_from(value, bound) >= 0; }

void accesses(random_source& random) {
  const std::size_t n = random_size(random);
  std::vector<int> expected = random_values(random, n, 1000);
  const partitioned_vector<int> values = spread(random, expected);
  REQUIRE(all_of_it(values) == expected);
  const std::size_t first = below(random, n + 1), last = first + below(random, n - first + 1);
  const auto begin = expected.begin() + static_cast<std::ptrdiff_t>(first);
  const auto end = expected.begin() + static_cast<std::ptrdiff_t>(last);
  REQUIRE(values.get_range(first, last).get() == std::vector<int>(begin, end));
  const std::vector<int> others = random_values(random, last - first, 1000);
  std::copy(others.begin(), others.end(), begin);
  values.set_range(first, others).get();
  REQUIRE(all_of_it(values) == expected);
  std::size_t sizes = 0;
  for (const auto& piece : values.pieces(first, last)) sizes += piece.last - piece.first;
  REQUIRE(sizes == last - first);
  REQUIRE(says(failure_of([&] { return values.get_range(first, n + 1); }), "of a partitioned vector of"));
  REQUIRE(says(failure_of([&] { return values.get_range(first + 1, first); }), "of a partitioned vector of"));
  REQUIRE(says(failure_of([&] { return values.set_range(n, {1}); }), "of a partitioned vector of"));
  REQUIRE(says(failure_of([&] { return values.assign(std::vector<int>(n + 1)); }), "values for a partitioned vector"));
  fill(values, 7).get();
  REQUIRE(all_of_it(values) == std::vector<int>(n, 7));
}

void transforms(random_source& random) {
  const std::size_t n = random_size(random);
  const std::vector<int> a = random_values(random, n, 1000);
  const partitioned_vector<int> values = spread(random, a);
  const partitioned_vector<double> halves(n, 0, random_places(random));
  transform<half>(values, halves).get();
  std::vector<double> expected(n);
  std::transform(a.begin(), a.end(), expected.begin(), half);
  REQUIRE(all_of_it(halves) == expected);
  // Of two, into a third one and into one of them.
  const partitioned_vector<double> sums(n, 0, random_places(random));
  transform<weighted>(values, halves, sums, 3).get();
  std::transform(a.begin(), a.end(), expected.begin(), expected.begin(),
                 [](int x, double y) { return weighted(x, y, 3); });
  REQUIRE(all_of_it(sums) == expected);
  transform<weighted>(values, halves, halves, 3).get();
  REQUIRE(equal(sums, halves).get());
  // In place; and what does not travel as bytes.
  transform<plus_number>(values, values, 5).get();
  const partitioned_vector<std::string> labels(n, "", random_places(random)), copies(n, "", random_places(random));
  transform<labelled>(values, labels, "no. ").get();
  copy(labels, copies).get();
  const std::vector<std::string> labels_here = all_of_it(labels);
  for (std::size_t i = 0; i < n; ++i) REQUIRE(labels_here[i] == "no. " + std::to_string(a[i] + 5));
  REQUIRE(equal(labels, copies).get());
  if (n > 0) {
    copies.set(below(random, n), "other").get();
    REQUIRE(!equal(labels, copies).get());
  }
  const partitioned_vector<int> more(n + 1);
  const partitioned_vector<double> more_halves(n + 1);
  REQUIRE(!equal(halves, more_halves).get());
  for (const std::string& failure : {failure_of([&] { return transform<half>(values, more_halves); }),
                                     failure_of([&] { return copy(labels, partitioned_vector<std::string>(n + 1)); }),
                                     failure_of([&] { return transform<weighted>(values, halves, more_halves, 1); }),
                                     failure_of([&] { return transform<weighted>(values, more_halves, halves, 1); })})
    REQUIRE(says(failure, ": partitioned vectors of "));
}

void searches(random_source& random) {
  const std::size_t n = random_size(random);
  const int different = below(random, 2) == 0 ? 3 : 5000;
  const std::vector<int> here = random_values(random, n, different);
  const partitioned_vector<int> values = spread(random, here);
  const int of = 1 + static_cast<int>(below(random, 50)), remainder = static_cast<int>(below(random, 50));
  const auto matches = [&](int value) { return has_remainder(value, of, remainder); };
  REQUIRE(count_if<has_remainder>(values, of, remainder).get() ==
          static_cast<std::size_t>(std::count_if(here.begin(), here.end(), matches)));
  const auto found = find_if<has_remainder>(values, of, remainder).get();
  const auto at = std::find_if(here.begin(), here.end(), matches);
  REQUIRE(found.value_or(n) == static_cast<std::size_t>(at - here.begin()) && found.has_value() == (at != here.end()));
  const int bound = static_cast<int>(below(random, static_cast<std::size_t>(different) + 1));
  const auto small = [&](int value) { return is_less(value, bound); };
  REQUIRE(all_of<is_less>(values, bound).get() == std::all_of(here.begin(), here.end(), small));
  REQUIRE(any_of<is_less>(values, bound).get() == std::any_of(here.begin(), here.end(), small));
  REQUIRE(none_of<is_less>(values, bound).get() == std::none_of(here.begin(), here.end(), small));
  const auto is = [&](const auto& element, std::vector<int>::const_iterator expected) {
    if (expected == here.end()) return !element;
    return element && element->position == static_cast<std::size_t>(expected - here.begin()) &&
           element->value == *expected;
  };
  REQUIRE(is(min_element(values).get(), std::min_element(here.begin(), here.end())));
  REQUIRE(is(max_element(values).get(), std::max_element(here.begin(), here.end())));
  REQUIRE(is(min_element<is_greater_int>(values).get(), std::max_element(here.begin(), here.end())));
}

std::size_t count_small(const partitioned_vector<int>& in) { return count_if<is_less>(in, 3).get(); }

double bytes_so_far() {
  return counters::counter("/data/count/sent").value() + counters::counter("/data/count/received").value();
}

/// Elements stay where they are, where both vectors have them in the same place.
void stays() {
  constexpr std::size_t k_size = 200'000;
  constexpr double k_few = 50'000; // bytes
  const partitioned_vector<int> values(k_size, 3);
  const partitioned_vector<double> halves(k_size);
  std::vector<locality> other_way = find_all_localities();
  std::reverse(other_way.begin(), other_way.end());
  const partitioned_vector<double> elsewhere(k_size, 0, other_way);
  double before = bytes_so_far();
  transform<half>(values, halves).get();
  transform<weighted>(values, halves, halves, 2).get();
  REQUIRE(equal(halves, halves).get() && count_if<is_less>(values, 0).get() == 0);
  REQUIRE(bytes_so_far() - before < k_few);
  before = bytes_so_far();
  transform<half>(values, elsewhere).get();
  if (num_localities() > 1) REQUIRE(bytes_so_far() - before > k_few);
}

void put_name(const int& key, std::string& value, const std::string& prefix) { value = prefix + std::to_string(key); }
std::size_t length_of(int key, const std::string& value) { return static_cast<std::size_t>(key) + value.size(); }
std::size_t length_added(std::size_t a, std::size_t b) { return a + b; }
bool has_key_below(int key, const std::string&, int bound) { return key < bound; }
void refuses_key(int key, const std::string&, int which) {
  if (key == which) throw std::domain_error("cannot take the key " + std::to_string(key));
}
bool refuses_to_erase(int key, const std::string& value, int which) {
  refuses_key(key, value, which);
  return true;
}

void set_to(double& value, std::size_t i, double factor) { value = factor * static_cast<double>(i); }
std::string as_text(double value) { return std::to_string(static_cast<int>(value)) + ' '; }
std::string joined(const std::string& a, const std::string& b) { return a + b; }
double fifth(const partitioned_vector<double>& of) { return of.get(5).get(); }

void count_up(int& value, int by) { value += by; }
int sum_of(const partitioned_map<std::string, int>& of, int n) {
  int sum = 0;
  for (int i = 0; i < n; ++i) sum += of.find("key " + std::to_string(i)).get().value_or(1000);
  return sum;
}
void add_to(const partitioned_map<std::string, int>& to, int n) {
  for (int i = 0; i < n; ++i) to.update<count_up>("key " + std::to_string(i), i).get();
}

} // namespace

void partitioned_vectors() {
  if (find_here().number() != 0) return;
  for (const std::size_t n : {std::size_t{0}, std::size_t{1}, std::size_t{7}, std::size_t{100}}) {
    const partitioned_vector<double> values(n, 2.5);
    REQUIRE(values.copy().get() == std::vector<double>(n, 2.5));
    values.for_each<set_to>(3.0).get();
    std::string all;
    std::vector<double> expected(n);
    for (std::size_t i = 0; i < n; ++i) {
      expected[i] = 3.0 * static_cast<double>(i);
      all += as_text(expected[i]);
      REQUIRE(values.get(i).get() == expected[i]);
    }
    REQUIRE(values.copy().get() == expected);
    REQUIRE((values.reduce<as_text, joined>(std::string()).get() == all)); // in order
    if (n > 5) {
      values.set(5, -1).get();
      for (const locality one : find_all_localities()) REQUIRE(async<fifth>(one, values).get() == -1);
    }
    try {
      static_cast<void>(values.get(n).get());
      REQUIRE(false);
    } catch (const std::out_of_range& e) {
      REQUIRE(std::strstr(e.what(), "of a partitioned vector of"));
    }
    std::size_t sizes = 0;
    for (const auto& segment : values.segments()) sizes += async<&vector_segment<double>::copy>(segment).get().size();
    REQUIRE(sizes == n);
  }
}

void partitioned_maps() {
  if (find_here().number() != 0) return;
  constexpr int k_keys = 50;
  const partitioned_map<std::string, int> all(round_robin(2 * num_localities()));
  std::vector<future<void>> adding;
  for (const locality one : find_all_localities()) adding.push_back(async<add_to>(one, all, k_keys));
  for (auto& one : adding) one.get();
  const int sum = static_cast<int>(num_localities()) * k_keys * (k_keys - 1) / 2;
  for (const locality one : find_all_localities()) REQUIRE(async<sum_of>(one, all, k_keys).get() == sum);
  REQUIRE(all.size().get() == k_keys);
  REQUIRE(!all.find("nobody").get());
  REQUIRE(!all.insert_or_assign("key 3", -7).get() && all.insert_or_assign("new", 1).get());
  REQUIRE(all.find("key 3").get() == -7);
  REQUIRE(all.erase("new").get() && !all.erase("new").get());
}

/// Random vectors in random places.
void partitioned_algorithms() {
  if (find_here().number() != 0) return;
  random_source random(20'261);
  for (int i = 0; i < 40; ++i) {
    accesses(random);
    transforms(random);
    searches(random);
  }
  stays();
  // One that was never made has no elements.
  const partitioned_vector<int> none;
  fill(none, 1).get();
  REQUIRE(equal(none, partitioned_vector<int>(0)).get() && !min_element(none).get() &&
          !find_if<is_less>(none, 1).get());
  // Begun by any locality; the elements end with what is done with them.
  for (const locality one : find_all_localities())
    REQUIRE(async<count_small>(one, partitioned_vector<int>(1000, 2)).get() == 1000);
  transform<half>(partitioned_vector<int>(1000, 2), partitioned_vector<double>(1000)).get();
  REQUIRE(count_if<is_less>(partitioned_vector<int>(1000, 2), 3).get() == 1000);
}

/// What functions throw: of the first segment, wherever that is.
void partitioned_faults() {
  if (find_here().number() != 0) return;
  random_source random(20'263);
  for (int i = 0; i < 20; ++i) {
    const std::size_t n = 1 + below(random, 3000);
    std::vector<int> here(n);
    std::iota(here.begin(), here.end(), 0);
    const partitioned_vector<int> values = spread(random, here), into = spread(random, here);
    const int bound = static_cast<int>(below(random, n));
    const std::string first = "cannot take " + std::to_string(bound) + '.';
    const auto fails = [&](auto call) { return says(failure_of([&] { return call().get(), 0; }), first.c_str()); };
    REQUIRE(fails([&] { return transform<refuses_from>(values, into, bound); }));
    REQUIRE(fails([&] { return count_if<refuses_predicate>(values, bound); }));
    REQUIRE(fails([&] { return find_if<refuses_predicate>(values, bound); }));
    REQUIRE(fails([&] { return all_of<accepts>(values, bound); }));
    REQUIRE(fails([&] { return any_of<refuses_predicate>(values, bound); }));
    // A match in front of it is found.
    if (bound > 0) {
      constexpr auto is_last = [](int value, int refused) { return refuses_from(value, refused) == refused - 1; };
      const auto found = find_if<is_last>(values, bound).get();
      REQUIRE(found == static_cast<std::size_t>(bound - 1));
    }
    if (n > 77)
      REQUIRE(says(failure_of([&] { return min_element<refuses_to_compare>(values).get(); }), "cannot take 7"));
    REQUIRE(all_of_it(values) == here);
  }
}

void partitioned_entries() {
  if (find_here().number() != 0) return;
  random_source random(20'264);
  for (int i = 0; i < 10; ++i) {
    const partitioned_map<int, std::string> all(random_places(random));
    std::map<int, std::string> expected;
    std::vector<future<bool>> inserted;
    for (std::size_t left = random_size(random) / 5; left > 0; --left) {
      const int key = static_cast<int>(below(random, 500));
      inserted.push_back(all.insert_or_assign(key, ""));
      expected[key] = "entry " + std::to_string(key);
    }
    for (auto& one : inserted) static_cast<void>(one.get());
    all.for_each<put_name>("entry ").get();
    const auto here = [&] {
      const auto copy = all.copy().get();
      return std::map<int, std::string>(copy.begin(), copy.end());
    };
    REQUIRE(here() == expected);
    std::size_t sum = 0;
    for (const auto& [key, value] : expected) sum += length_of(key, value);
    REQUIRE((all.reduce<length_of, length_added>(std::size_t{0}).get() == sum));
    const int bound = static_cast<int>(below(random, 500));
    REQUIRE(all.erase_if<has_key_below>(bound).get() ==
            std::erase_if(expected, [&](const auto& one) { return one.first < bound; }));
    REQUIRE(here() == expected && all.size().get() == expected.size());
    if (!expected.empty()) {
      const int key = expected.rbegin()->first;
      const std::string what = "cannot take the key " + std::to_string(key);
      REQUIRE(says(failure_of([&] { return all.for_each<refuses_key>(key).get(), 0; }), what.c_str()));
      REQUIRE(says(failure_of([&] { return all.erase_if<refuses_to_erase>(key).get(); }), what.c_str()));
      REQUIRE(all.find(key).get() == expected[key]); // its segment keeps what it has
    }
    all.clear().get();
    REQUIRE(all.size().get() == 0 && all.copy().get().empty());
  }
}

} // namespace treadle::testing
