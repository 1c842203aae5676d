// Cases of localities_program: arguments and results that are large vectors, which leave from where they are and arrive
// in pieces.
#include "program.hpp"

#include <treadle/localities/collectives.hpp>
#include <treadle/localities/object.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <random>
#include <stdexcept>
#include <thread>
#include <vector>

namespace treadle::testing {
namespace {

using triple = std::array<double, 3>; // of which a piece does not hold whole ones

template <class T>
void set(T& value, std::uint64_t bits) {
  value = static_cast<T>(bits % 100);
}
void set(triple& value, std::uint64_t bits) {
  for (double& each : value) set(each, bits /= 7);
}
template <class T>
std::vector<T> made(std::uint64_t seed, std::size_t size) {
  constexpr std::size_t k_drawn = 61; // then they repeat, with which no piece fits
  std::vector<T> values(std::min(size, k_drawn));
  std::uint64_t bits = seed;
  for (T& value : values) set(value, (bits = bits * 6364136223846793005U + 1442695040888963407U) >> 33U);
  std::size_t made = values.size();
  values.resize(size);
  for (std::size_t more = 0; made < size; made += more) {
    more = std::min(made, size - made);
    std::copy_n(values.begin(), more, values.begin() + static_cast<std::ptrdiff_t>(made));
  }
  return values;
}

class chance {
 public:
  explicit chance(std::uint64_t seed) : m_random(seed) {}
  std::uint32_t below(std::uint32_t limit) { return static_cast<std::uint32_t>(m_random() % limit); }

 private:
  std::mt19937_64 m_random;
};

template <class T>
bool is_made(std::uint64_t seed, std::size_t size, const std::vector<T>& values) {
  return values == made<T>(seed, size);
}
template <class T>
bool take(std::uint64_t seed, std::uint32_t size, std::vector<T> values) {
  return is_made(seed, size, values);
}
bool take_before(std::vector<double> values, std::uint64_t seed, bool flag) {
  return flag && is_made(seed, values.size(), values);
}
template <class T>
std::vector<T> give(std::uint64_t seed, std::uint32_t size) {
  return made<T>(seed, size);
}
future<std::vector<double>> give_later(std::uint64_t seed, std::uint32_t size) {
  return async([=] { return made<double>(seed, size); });
}

/// Of which the members are called.
class store {
 public:
  bool keep(std::uint64_t seed, const std::vector<double>& values) {
    m_values = values;
    return is_made(seed, values.size(), values);
  }
  std::vector<double> kept() const { return m_values; }

 private:
  std::vector<double> m_values;
};

template <class T>
bool arrives_in_pieces() { // as a result
  return detail::reply_of<T>().beginner() != nullptr;
}
static_assert(detail::ends_in_vector<std::tuple<detail::called_object<store>, std::uint64_t, std::vector<double>>>);

std::array<std::atomic<std::uint64_t>, 16> next{}; // by sender
std::atomic<bool> is_wrong{false};
/// Those of one sender come in the order in which they were sent, small or large.
void in_order(unsigned from, std::uint64_t number, const std::vector<double>& values) {
  if (next[from].fetch_add(1) != number || !is_made(number, values.size(), values)) is_wrong = true;
}
std::atomic<unsigned> relayed{0};
/// From a handler, which cannot wait.
void relay(unsigned left, const std::vector<double>& values) {
  if (!is_made(left, values.size(), values)) is_wrong = true;
  ++relayed;
  if (left > 0)
    post<direct<relay>>(locality((find_here().number() + 1) % num_localities()), left - 1,
                        made<double>(left - 1, values.size() + 1000));
}
bool flag(bool value) { return value; }
std::atomic<unsigned> ready{0};
void is_ready() { ++ready; }

template <class T>
void call(locality to, chance& random) {
  const std::uint32_t kib = random.below(4) == 0 ? 3000 : 400;
  const std::uint32_t size = random.below(kib * 1024 / static_cast<std::uint32_t>(sizeof(T)));
  const std::uint64_t seed = random.below(1000);
  REQUIRE(async<take<T>>(to, seed, size, made<T>(seed, size)).get());
  REQUIRE(async<direct<take<T>>>(to, seed, size, made<T>(seed, size)).get());
  future<std::vector<T>> given = async<give<T>>(to, seed, size);
  REQUIRE(async<direct<give<T>>>(to, seed + 1, size).get() == made<T>(seed + 1, size));
  REQUIRE(given.get() == made<T>(seed, size));
}

} // namespace

void large_arguments() {
  const unsigned here = find_here().number(), n = num_localities();
  const locality to((here + 1) % n);
  communicator all("large");
  REQUIRE(arrives_in_pieces<std::vector<double>>() && arrives_in_pieces<std::vector<char>>());
  REQUIRE(!arrives_in_pieces<std::vector<triple>>() && !arrives_in_pieces<void>());
  std::vector<future<void>> senders;
  for (std::uint64_t t = 0; t < 3; ++t) {
    senders.push_back(async([to, t] {
      chance random(10 * find_here().number() + t + 1);
      const auto there = make_remote<store>(to).get();
      for (int i = 0; i < 5; ++i) {
        call<double>(to, random);
        call<float>(to, random);
        call<char>(to, random);
        call<std::int64_t>(to, random);
        call<triple>(to, random);
        const std::uint32_t size = random.below(200'000);
        REQUIRE(async<take_before>(to, made<double>(t, size), t, true).get());
        REQUIRE(async<give_later>(to, t, size).get() == made<double>(t, size));
        REQUIRE(async<&store::keep>(there, t, made<double>(t, size)).get());
        REQUIRE(async<direct<&store::kept>>(there).get() == made<double>(t, size));
      }
    }));
  }
  for (auto& one : senders) one.get();
  barrier(all).get();

  constexpr std::uint64_t k_ordered = 60;
  chance random(here + 1);
  for (std::uint64_t i = 0; i < k_ordered; ++i)
    post<direct<in_order>>(to, here, i, made<double>(i, random.below(random.below(3) == 0 ? 300'000 : 20)));
  until([&] { return next[(here + n - 1) % n] == k_ordered; });

  constexpr unsigned k_relays = 12;
  post<direct<relay>>(to, k_relays, made<double>(k_relays, 100'000));
  barrier(all).get();
  const std::size_t expected = std::size_t{k_relays + 1} * n;
  until([&] { return all_reduce(all, relayed.load()).get() == expected; });
  REQUIRE(!is_wrong);

  // What is no bool is an error of its sender's, and nothing more.
  const std::array<std::byte, 1> two{std::byte{2}};
  detail::action<direct<flag>>::entry.handle(two, 0, 0);
  REQUIRE(async<direct<flag>>(to, true).get());
}

/// Locality 1 ends at any moment, while large vectors come from it and go to it: a call has its result, or says who has
/// ended.
void large_survives() {
  static constexpr std::uint32_t k_size = 500'000;
  communicator all("large");
  barrier(all).get();
  const locality mortal(1);
  std::vector<future<void>> callers;
  const auto call_until_missed = [&](auto call) {
    callers.push_back(async([call] {
      try {
        for (std::uint64_t seed = 0;; ++seed) REQUIRE(call(seed));
      } catch (const std::runtime_error& e) {
        REQUIRE(std::strstr(e.what(), "locality 1 has ended without warning"));
      }
    }));
  };
  if (find_here() == mortal) {
    until([] { return ready == num_localities() - 1; }); // all others are past the barrier
    std::thread([] {
      std::this_thread::sleep_for(std::chrono::milliseconds(std::random_device{}() % 50));
      std::_Exit(0);
    }).detach();
    for (const locality to : find_all_localities())
      if (to != mortal)
        call_until_missed([to](std::uint64_t seed) {
          return async<take<double>>(to, seed, k_size, made<double>(seed, k_size)).get();
        });
  } else {
    post<direct<is_ready>>(mortal);
    call_until_missed([mortal](std::uint64_t seed) {
      return async<give<double>>(mortal, seed, k_size).get() == made<double>(seed, k_size);
    });
    call_until_missed([mortal](std::uint64_t seed) {
      return async<direct<take<double>>>(mortal, seed, k_size, made<double>(seed, k_size)).get();
    });
  }
  for (auto& one : callers) one.get();
}

} // namespace treadle::testing
