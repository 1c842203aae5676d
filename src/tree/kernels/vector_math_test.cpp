// The vector functions give an element the same bits wherever it stands and in every width.
#include "tree/kernels/vector_math.hpp"

#include "base/dispatch.hpp"
#include "tree/test_support.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <random>

namespace treadle::tree {
namespace {

using member = vector_functions::function vector_functions::*;

#define TREADLE_MEMBER_POINTER(name) &vector_functions::name,
constexpr member k_members[] = {TREADLE_VECTOR_FUNCTIONS(TREADLE_MEMBER_POINTER)};
#undef TREADLE_MEMBER_POINTER

// Numbers of all sizes, and the special ones, in any order: lanes must not care about their neighbours.
std::vector<double> numbers(std::size_t count, unsigned seed) {
  std::mt19937_64 engine(seed);
  std::normal_distribution<double> normal;
  std::uniform_int_distribution<int> kind(0, 9);
  std::vector<double> result;
  const double infinity = std::numeric_limits<double>::infinity();
  while (result.size() < count) {
    const double x = normal(engine);
    switch (kind(engine)) {
    case 0:
      result.push_back(std::bit_cast<double>(engine())); // any bits at all
      break;
    case 1:
      result.push_back(std::ldexp(x, static_cast<int>(engine() % 2000) - 1000));
      break;
    case 2:
      result.push_back(x * 1e4);
      break;
    case 3: {
      const double special[] = {0.0, -0.0, infinity, -infinity, std::nan(""), 1.0, -1.0, 5e-324, 1e308, 709.9};
      result.push_back(special[engine() % 10]);
      break;
    }
    default:
      result.push_back(x * 3);
    }
  }
  return result;
}

std::uint64_t bits(double x) { return std::isnan(x) ? 1 : std::bit_cast<std::uint64_t>(x); }

void expect_equal(const std::vector<double>& a, const std::vector<double>& b, const std::vector<double>& x,
                  std::size_t function) {
  for (std::size_t i = 0; i < a.size(); ++i)
    ASSERT_EQ(bits(a[i]), bits(b[i])) << "function " << function << " of " << x[i] << ": " << a[i] << ", " << b[i];
}

// Rows, the same elements one by one, and in pieces of odd lengths.
void expect_independence(const vector_functions& f) {
  const auto x = numbers(20011, 1);
  const auto n = static_cast<std::int64_t>(x.size());
  for (std::size_t m = 0; m < std::size(k_members); ++m) {
    const auto compute = f.*k_members[m];
    std::vector<double> row(x.size()), single(x.size()), pieces(x.size()), in_place = x;
    compute(x.data(), row.data(), n);
    compute(in_place.data(), in_place.data(), n);
    for (std::int64_t i = 0; i < n; ++i) compute(x.data() + i, single.data() + i, 1);
    for (std::int64_t i = 0, length = 1; i < n; i += length, length = length % 23 + 1)
      compute(x.data() + i, pieces.data() + i, std::min(length, n - i));
    expect_equal(row, single, x, m);
    expect_equal(row, pieces, x, m);
    expect_equal(row, in_place, x, m);
  }
  const auto y = numbers(x.size(), 2);
  std::vector<double> row(x.size()), single(x.size()), to_two(x.size()), two_to(x.size()), one(x.size());
  const double two = 2.5;
  f.pow(x.data(), 1, y.data(), 1, row.data(), n);
  for (std::int64_t i = 0; i < n; ++i) f.pow(x.data() + i, 0, y.data() + i, 0, single.data() + i, 1);
  expect_equal(row, single, x, std::size(k_members));
  f.pow(x.data(), 1, &two, 0, to_two.data(), n);
  f.pow(&two, 0, x.data(), 1, two_to.data(), n);
  for (std::int64_t i = 0; i < n; ++i) f.pow(x.data() + i, 1, &two, 0, one.data() + i, 1);
  expect_equal(to_two, one, x, std::size(k_members));
  for (std::int64_t i = 0; i < n; ++i) f.pow(&two, 0, x.data() + i, 1, one.data() + i, 1);
  expect_equal(two_to, one, x, std::size(k_members));
}

TEST(vector_math, elements_do_not_depend_on_their_neighbours) {
  expect_independence(vector_functions_sse2);
  if (detail::machine_width() >= detail::vector_width::avx2) expect_independence(vector_functions_avx2);
  if (detail::machine_width() >= detail::vector_width::avx512) expect_independence(vector_functions_avx512);
}

TEST(vector_math, errors_are_at_most_one_unit_in_the_last_place) {
  struct reference {
    void (*vector_functions::*rows)(const double*, double*, std::int64_t);
    long double (*exact)(long double); // nearly: rounded to 64 bits
  };
  const reference k_references[] = {
      {&vector_functions::exp, std::exp},     {&vector_functions::exp2, std::exp2},
      {&vector_functions::expm1, std::expm1}, {&vector_functions::log, std::log},
      {&vector_functions::log2, std::log2},   {&vector_functions::log10, std::log10},
      {&vector_functions::sin, std::sin},     {&vector_functions::cos, std::cos},
      {&vector_functions::tan, std::tan},     {&vector_functions::tanh, std::tanh},
      {&vector_functions::asin, std::asin},   {&vector_functions::acos, std::acos},
      {&vector_functions::atan, std::atan},   {&vector_functions::cbrt, std::cbrt},
  };
  std::mt19937_64 engine(8);
  std::normal_distribution<double> normal;
  std::vector<double> x(20000), found(x.size());
  for (auto& e : x) e = normal(engine) * (engine() % 2 ? 1 : 20);
  for (std::size_t m = 0; m < std::size(k_references); ++m) {
    (machine_vector_functions().*k_references[m].rows)(x.data(), found.data(), static_cast<std::int64_t>(x.size()));
    for (std::size_t i = 0; i < x.size(); ++i) {
      const long double exact = k_references[m].exact(static_cast<long double>(x[i]));
      if (!std::isfinite(exact)) continue;
      const auto nearest = std::fabs(static_cast<double>(exact));
      const auto unit = std::nextafter(nearest, std::numeric_limits<double>::infinity()) - nearest;
      const auto error = std::fabs(static_cast<long double>(found[i]) - exact);
      ASSERT_LE(error, 1.001L * static_cast<long double>(unit)) << "function " << m << " of " << x[i];
    }
  }
}

TEST(vector_math, widths_with_fused_multiply_add_agree) {
  if (detail::machine_width() < detail::vector_width::avx512) return; // nothing to compare
  const auto x = numbers(100003, 3), y = numbers(x.size(), 4);
  const auto n = static_cast<std::int64_t>(x.size());
  std::vector<double> narrow(x.size()), wide(x.size());
  for (std::size_t m = 0; m < std::size(k_members); ++m) {
    (vector_functions_avx2.*k_members[m])(x.data(), narrow.data(), n);
    (vector_functions_avx512.*k_members[m])(x.data(), wide.data(), n);
    expect_equal(narrow, wide, x, m);
  }
  vector_functions_avx2.pow(x.data(), 1, y.data(), 1, narrow.data(), n);
  vector_functions_avx512.pow(x.data(), 1, y.data(), 1, wide.data(), n);
  expect_equal(narrow, wide, x, std::size(k_members));
}

TEST(vector_math, scalars_rows_and_views_agree) {
  const auto x = numbers(999, 5);
  for (const char* name : {"exp", "sinh", "cosh", "tanh", "arcsinh", "arccosh", "arctanh", "log1p", "sigmoid",
                           "invcbrt", "cbrt", "log", "sin", "sqrt", "floor", "arctan"}) {
    const physl::program f(std::string("lambda(x, ") + name + "(x))", "test");
    const auto options = with_policy(physl::policy::always_inline);
    const auto whole = array::of<double>({static_cast<std::int64_t>(x.size())}, x);
    const value all[] = {whole}, backwards[] = {whole.view(998, {999}, {-1})};
    const auto row = f.run(all, options).to_array(), reversed = f.run(backwards, options).to_array().contiguous();
    for (std::size_t i = 0; i < x.size(); ++i) {
      const value one[] = {x[i]};
      const auto expected = bits(row.data<double>()[i]);
      ASSERT_EQ(bits(f.run(one, options).to_float64()), expected) << name << " of " << x[i];
      ASSERT_EQ(bits(reversed.data<double>()[x.size() - 1 - i]), expected) << name << " of " << x[i];
    }
  }
}

// Loops are compiled for every width; what they compute is the same.
template <class T>
struct polynomial_row {
  TREADLE_LOOP static void run(const T* x, std::int64_t count, T* out) {
    for (std::int64_t i = 0; i < count; ++i) out[i] = x[i] * x[i] + x[i] * T(3) - T(1);
  }
};

TEST(vector_math, loops_of_all_widths_agree) {
  const auto x = numbers(4099, 6);
  std::vector<double> first(x.size()), other(x.size());
  const auto n = static_cast<std::int64_t>(x.size());
  detail::run_in<polynomial_row<double>>(detail::vector_width::sse2, x.data(), n, first.data());
  for (auto width : {detail::vector_width::avx2, detail::vector_width::avx512}) {
    if (width > detail::machine_width()) continue;
    detail::run_in<polynomial_row<double>>(width, x.data(), n, other.data());
    expect_equal(first, other, x, 0);
  }
}

} // namespace
} // namespace treadle::tree
