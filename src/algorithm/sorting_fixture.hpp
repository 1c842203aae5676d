#pragma once

#include "task/engine/runtime_fixture.hpp"

#include <treadle/algorithm/execution.hpp>
#include <treadle/async.hpp>
#include <treadle/detail/config.hpp>

#include <atomic>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

namespace treadle {

/// Enough elements for all workers to take part, and few enough for the sanitizers to end in time.
#if defined(TREADLE_ASAN) || defined(TREADLE_TSAN)
inline constexpr std::size_t k_many = 200'000;
#else
inline constexpr std::size_t k_many = 1'000'000;
#endif

/// Inputs that are known to be hard for some way of sorting, and random ones with more or fewer duplicates.
inline std::vector<std::vector<int>> sorting_inputs(std::size_t n, unsigned seed = 1) {
  std::mt19937 random(seed);
  const auto made = [n](auto make) {
    std::vector<int> values(n);
    for (std::size_t i = 0; i != n; ++i) values[i] = make(static_cast<int>(i));
    return values;
  };
  const int size = static_cast<int>(n);
  auto swapped = made([](int i) { return i; });
  if (n > 1) std::swap(swapped[n / 3], swapped[n - 1]);
  return {made([&](int) { return static_cast<int>(random()); }),
          made([&](int) { return static_cast<int>(random() % 100); }),
          made([&](int) { return static_cast<int>(random() % 2); }),
          made([](int i) { return i; }),
          made([](int i) { return -i; }),
          made([](int i) { return -i / 10; }),
          made([](int) { return 7; }),
          made([&](int i) { return std::min(i, size - i); }),
          made([&](int i) { return std::max(i, size - i); }),
          made([](int i) { return i % 1000; }),
          made([&](int i) { return i < size * 9 / 10 ? i : static_cast<int>(random()); }),
          made([](int i) { return i ^ 1; }),
          std::move(swapped)};
}

/// The same; fewer of them where the sanitizers make large ones slow.
inline std::vector<std::vector<int>> some_sorting_inputs(std::size_t n) {
  auto all = sorting_inputs(n);
  if (!detail::k_sanitized || n < 10'000) return all;
  std::vector<std::vector<int>> some;
  for (std::size_t i = 0; i < all.size(); i += 4) some.push_back(std::move(all[i]));
  return some;
}

/// Around the sizes at which something changes.
inline const std::vector<std::size_t> sorting_sizes{0,  1,   2,   3,   5,    23,   24,   25,   50,     64,
                                                    65, 255, 256, 257, 1024, 1025, 4096, 4097, 16'385, 100'000};

/// Only moves. Counts those alive.
class moving_key {
 public:
  explicit moving_key(int key, std::size_t position = 0) : m_key(std::make_unique<int>(key)), m_position(position) {
    ++alive;
  }
  moving_key(moving_key&& other) noexcept : m_key(std::move(other.m_key)), m_position(other.m_position) { ++alive; }
  moving_key& operator=(moving_key&& other) noexcept = default;
  ~moving_key() { --alive; }

  int key() const { return m_key ? *m_key : throw std::logic_error("moved from"); }
  std::size_t position() const { return m_position; }
  friend bool operator<(const moving_key& a, const moving_key& b) { return a.key() < b.key(); }

  static inline std::atomic<int> alive{0};

 private:
  std::unique_ptr<int> m_key;
  std::size_t m_position;
};

inline std::vector<moving_key> moving_keys(const std::vector<int>& keys) {
  std::vector<moving_key> moving;
  for (std::size_t i = 0; i != keys.size(); ++i) moving.emplace_back(keys[i], i);
  return moving;
}

/// Only moves, and is trivially copyable in the language's sense nevertheless.
struct ticket {
  explicit ticket(int k) : key(k) {}
  ticket(ticket&&) = default;
  ticket& operator=(ticket&&) = default;
  bool operator<(const ticket& other) const { return key < other.key; }
  int key;
};
static_assert(std::is_trivially_copyable_v<ticket> && !std::is_copy_constructible_v<ticket>);

/// Compares, and throws in the call with the given number.
class failing_less {
 public:
  explicit failing_less(long call) : m_calls_left(std::make_shared<std::atomic<long>>(call)) {}
  template <class T>
  bool operator()(const T& a, const T& b) const {
    if (m_calls_left->fetch_sub(1) == 1) throw std::runtime_error("comparison");
    return a < b;
  }

 private:
  std::shared_ptr<std::atomic<long>> m_calls_left;
};

class sorting_test : public testing::on_workers {
 protected:
  /// check(policy): sequentially and in parallel, in a task and on this thread, which is foreign.
  template <class Check>
  static void with_policies(const Check& check) {
    async([&] {
      check(seq);
      check(par);
    }).get();
    check(par_unseq);
  }
};

} // namespace treadle
