#include "algorithm_fixture.hpp"

#include <array>
#include <functional>
#include <list>
#include <memory>
#include <numeric>
#include <string>

namespace treadle {
namespace {

class reduce_test : public algorithm_test {};
TREADLE_ON_WORKERS(reduce_test);

/// Associative, not commutative, and without overflow that could be undefined.
using matrix = std::array<std::uint32_t, 4>;
constexpr auto product = [](const matrix& a, const matrix& b) {
  return matrix{a[0] * b[0] + a[1] * b[2], a[0] * b[1] + a[1] * b[3], a[2] * b[0] + a[3] * b[2],
                a[2] * b[1] + a[3] * b[3]};
};
constexpr auto matrix_of = [](int x) {
  const auto u = static_cast<std::uint32_t>(x);
  return matrix{u, u + 1, 3 * u + 1, 2};
};
constexpr auto letter = [](int x) { return std::string(1, static_cast<char>('a' + x % 26)); };

TEST_P(reduce_test, sums) {
  with_arrays([](const auto& policy, const std::vector<int>& v) {
    const hiccup pause(53);
    ASSERT_EQ(reduce(policy, v), std::accumulate(v.begin(), v.end(), 0));
    ASSERT_EQ(reduce(policy, v.begin(), v.end(), 10L), std::accumulate(v.begin(), v.end(), 10L));
    const auto largest = [&](int a, int b) {
      pause();
      return std::max(a, b);
    };
    ASSERT_EQ(reduce(policy, v, 3, largest), std::accumulate(v.begin(), v.end(), 3, largest));
    ASSERT_EQ(transform_reduce(policy, v, v.begin(), 1L), std::inner_product(v.begin(), v.end(), v.begin(), 1L));
    ASSERT_EQ(transform_reduce(policy, v, 1L, std::plus<>(), [](int x) { return x / 2; }),
              std::transform_reduce(v.begin(), v.end(), 1L, std::plus<>(), [](int x) { return x / 2; }));
  });
}

TEST_P(reduce_test, keep_the_order) {
  with_arrays([](const auto& policy, const std::vector<int>& v) {
    const hiccup pause(41);
    const auto with_pauses = [&](const matrix& a, const matrix& b) {
      pause();
      return product(a, b);
    };
    ASSERT_EQ(transform_reduce(policy, v, matrix_of(3), with_pauses, matrix_of),
              std::transform_reduce(v.begin(), v.end(), matrix_of(3), product, matrix_of));
    std::string expected = "(";
    for (int x : v) expected += letter(x);
    ASSERT_EQ(transform_reduce(policy, v, std::string("("), std::plus<>(), letter), expected);
  });
}

TEST_P(reduce_test, values_that_can_only_be_moved) {
  const std::vector<int> v(1000, 2);
  with_policies([&](const auto& policy) {
    const auto sum = transform_reduce(
        policy, v, std::make_unique<int>(1), [](auto a, auto b) { return std::make_unique<int>(*a + *b); },
        [](int x) { return std::make_unique<int>(x); });
    ASSERT_EQ(*sum, 2001);
  });
}

TEST_P(reduce_test, scans) {
  with_arrays([](const auto& policy, const std::vector<int>& v) {
    std::vector<long> expected(v.size()), out(v.size());
    ASSERT_EQ(inclusive_scan(policy, v, out.begin()), out.end());
    std::inclusive_scan(v.begin(), v.end(), expected.begin());
    ASSERT_EQ(out, expected);
    inclusive_scan(policy, v.begin(), v.end(), out.begin(), std::plus<>(), 100L);
    std::inclusive_scan(v.begin(), v.end(), expected.begin(), std::plus<>(), 100L);
    ASSERT_EQ(out, expected);
    ASSERT_EQ(exclusive_scan(policy, v, out.begin(), 7L), out.end());
    std::exclusive_scan(v.begin(), v.end(), expected.begin(), 7L);
    ASSERT_EQ(out, expected);
    inclusive_scan(policy, v, out.begin(), [](int a, int b) { return std::max(a, b); });
    std::inclusive_scan(v.begin(), v.end(), expected.begin(), [](int a, int b) { return std::max(a, b); });
    ASSERT_EQ(out, expected);

    std::vector<int> in_place = v, expected_int(v.size());
    exclusive_scan(policy, in_place, in_place.begin(), 1);
    std::exclusive_scan(v.begin(), v.end(), expected_int.begin(), 1);
    ASSERT_EQ(in_place, expected_int);
    in_place = v;
    inclusive_scan(policy, in_place, in_place.begin());
    std::inclusive_scan(v.begin(), v.end(), expected_int.begin());
    ASSERT_EQ(in_place, expected_int);
  });
}

TEST_P(reduce_test, scans_keep_the_order) {
  with_arrays([](const auto& policy, const std::vector<int>& v) {
    const hiccup pause(43);
    const auto with_pauses = [&](const matrix& a, const matrix& b) {
      pause();
      return product(a, b);
    };
    std::vector<matrix> expected(v.size()), out(v.size());
    transform_inclusive_scan(policy, v, out.begin(), with_pauses, matrix_of);
    std::transform_inclusive_scan(v.begin(), v.end(), expected.begin(), product, matrix_of);
    ASSERT_EQ(out, expected);
    transform_inclusive_scan(policy, v, out.begin(), with_pauses, matrix_of, matrix_of(5));
    std::transform_inclusive_scan(v.begin(), v.end(), expected.begin(), product, matrix_of, matrix_of(5));
    ASSERT_EQ(out, expected);
    transform_exclusive_scan(policy, v, out.begin(), matrix_of(5), with_pauses, matrix_of);
    std::transform_exclusive_scan(v.begin(), v.end(), expected.begin(), matrix_of(5), product, matrix_of);
    ASSERT_EQ(out, expected);
    if (v.size() > 300) return;
    std::vector<std::string> text(v.size());
    transform_inclusive_scan(policy, v, text.begin(), std::plus<>(), letter);
    std::string so_far;
    for (std::size_t i = 0; i < v.size(); ++i) ASSERT_EQ(text[i], so_far += letter(v[i]));
  });
}

struct low_byte {
  std::size_t value = 0;
  low_byte& operator=(int x) {
    value = static_cast<std::size_t>(x) % 256;
    return *this;
  }
};

TEST_P(reduce_test, scans_to_narrower_types_lose_nothing_on_the_way) {
  const std::vector<int> v(5000, 1);
  with_policies([&](const auto& policy) {
    std::vector<low_byte> out(v.size());
    transform_inclusive_scan(
        policy, v, out.begin(), [](int a, int b) { return std::max(a, b); },
        [&](const int& x) { return static_cast<int>(&x - v.data()); });
    for (std::size_t i = 0; i < v.size(); ++i) ASSERT_EQ(out[i].value, i % 256);
  });
}

TEST_P(reduce_test, weaker_iterators) {
  const std::list<int> l{1, 2, 3};
  std::vector<int> out;
  inclusive_scan(par, l, std::back_inserter(out));
  exclusive_scan(par, l, std::back_inserter(out), 10);
  EXPECT_EQ(out, (std::vector<int>{1, 3, 6, 10, 11, 13}));
  EXPECT_EQ(transform_reduce(par, l, l.begin(), 0), 14);
}

TEST_P(reduce_test, of_any_input) {
  rc::check([](const std::vector<std::string>& v, const std::string& init, unsigned char chunk) {
    const auto policy = par.with(dynamic_chunk_size{1u + chunk % 8u}).with(num_cores{chunk % 16u});
    std::vector<std::string> out(v.size()), expected(v.size());
    async([&] {
      RC_ASSERT(reduce(policy, v, init) == std::accumulate(v.begin(), v.end(), init));
      exclusive_scan(policy, v, out.begin(), init);
    }).get();
    std::exclusive_scan(v.begin(), v.end(), expected.begin(), init);
    RC_ASSERT(out == expected);
  });
}

} // namespace
} // namespace treadle
