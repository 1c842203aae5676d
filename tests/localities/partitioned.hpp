// Random partitioned vectors for the cases of localities_program.
#pragma once

#include "program.hpp"

#include <treadle/localities/partitioned_vector.hpp>

#include <cstddef>
#include <exception>
#include <random>
#include <string>
#include <vector>

namespace treadle::testing {

using random_source = std::mt19937;

inline std::size_t below(random_source& random, std::size_t n) { return random() % n; }

/// One to twice as many places as there are localities, in any order, some of them repeated.
inline std::vector<locality> random_places(random_source& random) {
  std::vector<locality> places;
  for (std::size_t left = 1 + below(random, 2 * num_localities()); left > 0; --left)
    places.emplace_back(static_cast<unsigned>(below(random, num_localities())));
  return places;
}
/// None, one, fewer than segments, some, thousands.
inline std::size_t random_size(random_source& random) {
  switch (below(random, 6)) {
  case 0:
    return 0;
  case 1:
    return 1;
  case 2:
    return below(random, 2 * num_localities());
  case 3:
    return below(random, 100);
  default:
    return below(random, 5000);
  }
}
inline std::vector<int> random_values(random_source& random, std::size_t n, int different) {
  std::vector<int> values(n);
  for (int& value : values) value = static_cast<int>(below(random, static_cast<std::size_t>(different)));
  return values;
}
template <class T>
partitioned_vector<T> spread(random_source& random, const std::vector<T>& values) {
  const partitioned_vector<T> made(values.size(), T(), random_places(random));
  made.assign(values).get();
  return made;
}
template <class T>
std::vector<T> all_of_it(const partitioned_vector<T>& of) {
  return of.copy().get();
}

/// Says what the call throws, here or when its future is asked.
template <class Call>
std::string failure_of(Call call) {
  try {
    static_cast<void>(call());
  } catch (const std::exception& e) {
    return e.what();
  }
  return "";
}
inline bool says(const std::string& failure, const char* what) { return failure.find(what) != std::string::npos; }

} // namespace treadle::testing
