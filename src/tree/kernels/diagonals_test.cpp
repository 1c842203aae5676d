// Diagonal matrices without their elements give what those with them give: the same bits, the same refusals.
#include "tree/test_support.hpp"
#include "value/diagonal.hpp"

#include <rapidcheck.h>

#include <cmath>
#include <limits>
#include <random>
#include <thread>

namespace treadle::tree {
namespace {

using i64 = std::int64_t;
constexpr double k_infinity = std::numeric_limits<double>::infinity();

physl::run_options dense(physl::run_options options) {
  options.dense_diagonals = true;
  return options;
}

// What a program gives, or its error as text.
value outcome_of(const physl::program& p, const std::vector<value>& args, const physl::run_options& options) {
  try {
    return p.run(args, options);
  } catch (const physl::error& e) {
    return value("error " + e.message());
  }
}

// The first difference in words.
std::string difference(const value& found, const value& expected) {
  const bool lists = found.is_list() && expected.is_list();
  const bool arrays = found.is_array() && expected.is_array() &&
                      found.as_array().type() == expected.as_array().type() &&
                      found.as_array().shape() == expected.as_array().shape() && found.as_array().rank() > 0;
  if ((lists && found.size() == expected.size()) || arrays)
    for (std::size_t i = 0; i < found.size(); ++i)
      if (!(found.item(i) == expected.item(i)))
        return std::to_string(i) + ": " + difference(found.item(i), expected.item(i));
  return repr(found) + " instead of " + repr(expected);
}

// Random programs over diagonal and other matrices.
class generator {
 public:
  explicit generator(unsigned seed) : m_engine(seed) {
    m_size = pick<i64>({0, 1, 2, 15, 16, 16, 17, 18, 20, 25, 33});
    m_width = pick<i64>({0, 1, 2, 3, 8, 16, 17, 20});
    m_special = below(3) == 0;
  }

  std::vector<value> arguments() {
    return {reals({m_size}),          reals({m_size}),          integers({m_size}),      truths({m_size}),
            reals({m_size, m_width}), reals({m_width, m_size}), reals({m_size, m_size}), integers({m_size, m_width})};
  }

  std::string program() {
    m_squares = {"q"};
    m_vectors = {"u", "v", "w", "t"};
    m_rows = {"a", "b"};
    m_columns = {"c"};
    std::string body, names;
    for (unsigned i = 0, count = 3 + below(12); i < count; ++i) {
      const auto name = "x" + std::to_string(i);
      auto& kind = *pick<std::vector<std::string>*>(
          {&m_squares, &m_squares, &m_squares, &m_squares, &m_vectors, &m_rows, &m_columns, &m_numbers});
      const auto text = &kind == &m_squares   ? square()
                        : &kind == &m_vectors ? vector()
                        : &kind == &m_rows    ? rows()
                        : &kind == &m_columns ? columns()
                                              : number();
      body += "define(" + name + ", " + text + "),\n";
      kind.push_back(name);
      names += ", " + name;
      if (below(6) == 0) body += change() + ",\n";
    }
    return "define(f, u, v, w, t, a, c, z, b, block(\ndefine(q, z * 1.0),\n" + body + "list(q" + names + "))) f";
  }

 private:
  unsigned below(unsigned n) { return std::uniform_int_distribution<unsigned>(0, n - 1)(m_engine); }
  template <class T>
  T pick(std::initializer_list<T> from) {
    return from.begin()[below(static_cast<unsigned>(from.size()))];
  }
  const std::string& any(const std::vector<std::string>& from) {
    return from[below(static_cast<unsigned>(from.size()))];
  }

  double real() {
    if (m_special && below(8) == 0)
      return pick({k_infinity, -k_infinity, std::nan(""), 1e-200, -1e-200, 5e-324, 1e200, -1e300});
    return pick(
        {0.0, -0.0, 1.0, -1.0, 0.1, -0.3, 2.5, -7.0, 1e-3, std::generate_canonical<double, 53>(m_engine) - 0.5});
  }
  template <class T, class F>
  value filled(const extents& shape, F&& f) {
    auto result = array::uninitialized(dtype_of<T>, shape);
    auto* x = result.template mutable_data<T>();
    for (i64 i = 0; i < result.size(); ++i) x[i] = f();
    return below(4) == 0 && shape.rank() == 2 ? value(result.transpose().copy().transpose()) : value(result);
  }
  value reals(const extents& shape) {
    return filled<double>(shape, [&] { return real(); });
  }
  value integers(const extents& shape) {
    return filled<i64>(shape, [&] { return static_cast<i64>(below(7)) - 3; });
  }
  value truths(const extents& shape) {
    return filled<bool>(shape, [&] { return below(2) == 0; });
  }

  std::string size() const { return std::to_string(m_size); }
  std::string position() { return std::to_string(below(static_cast<unsigned>(std::max<i64>(m_size, 1)))); }
  std::string s() { return any(m_squares); }
  std::string v() { return any(m_vectors); }
  std::string n() { return below(3) == 0 && !m_numbers.empty() ? any(m_numbers) : literal(); }
  std::string literal() {
    if (m_special && below(5) == 0) return pick({"inf", "-inf", "nan"});
    return pick({"2.0", "0.5", "-1.5", "0.0", "-0.0", "3", "0", "-2", "1", "true"});
  }

  std::string square() {
    switch (below(28)) {
    case 0:
    case 1:
    case 2:
    case 3:
      return "diag(" + v() + ")";
    case 4:
      return "identity(" + size() + ")";
    case 5:
      return "identity(" + size() + ", \"int\")";
    case 6:
      return "eye(" + size() + ", " + size() + ", 0, \"bool\")";
    case 7:
    case 8:
      return s() + " + " + s();
    case 9:
    case 10:
      return s() + " - " + s();
    case 11:
      return s() + " * " + s();
    case 12:
      return n() + " * " + s();
    case 13:
      return s() + " * " + n();
    case 14:
      return "__truediv(" + s() + ", " + n() + ")";
    case 15:
      return "-" + s();
    case 16:
    case 17:
      return "dot(" + s() + ", " + s() + ")";
    case 18:
      return "transpose(" + s() + ")";
    case 19:
      return pick({"absolute", "sqrt", "square", "sign", "floor", "isnan", "exp", "tanh", "logical_not", "float"}) +
             std::string("(") + s() + ")";
    case 20:
      return s() + pick({" == ", " != ", " > ", " <= "}) + (below(2) ? s() : n());
    case 21:
      return pick({"maximum(", "minimum(", "__floordiv(", "__pymod("}) + s() + ", " + (below(2) ? s() : n()) + ")";
    case 22:
      return "power(" + s() + ", " + pick({"2", "2.0", "0.5", "3", "1.5"}) + ")";
    case 23:
      return "where(" + s() + ", " + s() + ", " + n() + ")";
    case 24:
      return s() + " + " + v();
    case 25:
      return s() + " + " + n();
    case 26:
      return "dot(" + any(m_rows) + ", " + any(m_columns) + ")";
    default:
      return s();
    }
  }
  std::string vector() {
    switch (below(9)) {
    case 0:
    case 1:
      return "dot(" + s() + ", " + v() + ")";
    case 2:
    case 3:
      return "__matmul(" + v() + ", " + s() + ")";
    case 4:
      return "sum(" + s() + ", " + pick({"0", "1"}) + ")";
    case 5:
      return "diag(" + s() + ")";
    case 6:
      return "slice(" + s() + ", " + position() + ")";
    case 7:
      return "cumsum(" + s() + ", 1)";
    default:
      return v() + " * " + n();
    }
  }
  std::string rows() {
    return below(3) ? "dot(" + s() + ", " + any(m_rows) + ")" : "transpose(" + any(m_columns) + ")";
  }
  std::string columns() {
    return below(3) ? "__matmul(" + any(m_columns) + ", " + s() + ")" : "transpose(" + any(m_rows) + ")";
  }
  std::string number() {
    switch (below(4)) {
    case 0:
      return "sum(" + s() + ")";
    case 1:
      return "trace(" + s() + ")";
    case 2:
      return "dot(dot(" + v() + ", " + s() + "), " + v() + ")";
    default:
      return "slice(" + s() + ", " + position() + ", " + position() + ")";
    }
  }
  std::string change() {
    const auto x = s();
    switch (below(5)) {
    case 0:
      return "store(slice(" + x + ", " + position() + ", " + position() + "), " + n() + ")";
    case 1:
      return "__change(slice(" + x + ", " + position() + ", " + position() + "), " + n() + ")";
    case 2:
      return "__update(" + x + ", " + x + " + " + s() + ")";
    case 3:
      return "__update(slice(" + x + ", " + position() + "), slice(" + x + ", " + position() + ") + " + n() + ")";
    default:
      return "store(slice(" + x + ", " + position() + "), " + v() + ")";
    }
  }

  std::mt19937 m_engine;
  i64 m_size = 0, m_width = 0;
  bool m_special = false;
  std::vector<std::string> m_squares, m_vectors, m_rows, m_columns, m_numbers;
};

TEST(diagonals, random_programs_give_the_same_bits) {
  const workers two(2);
  const bool held = rc::check("with and without elements", [&] {
    for (int repeat = 0; repeat < 20; ++repeat) {
      generator g(*rc::gen::noShrink(rc::gen::inRange(0u, 1u << 30)));
      const auto args = g.arguments();
      const auto text = g.program();
      const physl::program p(text, "t");
      const auto inlined = with_policy(physl::policy::always_inline);
      const auto expected = outcome_of(p, args, dense(inlined));
      auto all = std::vector{inlined};
      if (text.find("__change") == std::string::npos && text.find("__update") == std::string::npos)
        for (const auto& o : splitting_options()) all.push_back(o); // what is refused needs no order of its own there
      for (const auto& options : all) {
        const auto found = outcome_of(p, args, options);
        if (!(found == expected)) RC_FAIL(text + "\n" + difference(found, expected));
      }
    }
  });
  EXPECT_TRUE(held);
}

// Of an expression of the vectors v (-2, -0.0, 3, ...) and w (1, 0.5, -1, ...) of 20 numbers.
value of_vectors(const std::string& expression, const physl::run_options& options) {
  const double numbers[][3] = {{-2.0, -0.0, 3.0}, {1.0, 0.5, -1.0}};
  std::vector<value> args;
  for (const auto& three : numbers) {
    auto a = array::uninitialized(dtype::float64, {20});
    for (i64 i = 0; i < 20; ++i) a.mutable_data<double>()[i] = three[i % 3];
    args.emplace_back(std::move(a));
  }
  return outcome_of(physl::program("define(f, v, w, " + expression + ") f", "t"), args, options);
}

TEST(diagonals, stay_what_they_are_while_all_zeros_do) {
  const auto inlined = with_policy(physl::policy::always_inline);
  for (const char* expression : {"diag(v)",
                                 "identity(20)",
                                 "identity(20, \"int\")",
                                 "eye(20)",
                                 "eye(20, 20, 0, \"bool\")",
                                 "diag(v) + diag(w)",
                                 "diag(v) - identity(20)",
                                 "diag(v) * diag(w)",
                                 "2 * diag(v)",
                                 "diag(v) * 0.5",
                                 "__truediv(diag(v), 2.0)",
                                 "__truediv(diag(v), inf)",
                                 "-identity(20, \"int\")",
                                 "square(diag(v))",
                                 "absolute(diag(v))",
                                 "float(identity(20, \"int\"))",
                                 "transpose(diag(v))",
                                 "dot(diag(v), diag(w))",
                                 "diag(v) != 0.0",
                                 "block(define(d, diag(v)), define(n, sum(d)), d)",
                                 "block(define(d, diag(v)), store(slice(d, 0, 1), 5.0), diag(w))"}) {
    const auto found = of_vectors(expression, inlined), expected = of_vectors(expression, dense(inlined));
    EXPECT_TRUE(detail::is_diagonal(found)) << expression;
    EXPECT_FALSE(detail::is_diagonal(expected)) << expression;
    EXPECT_EQ(found, expected) << expression;
  }
  for (const char* expression :
       {"-diag(v)", "-2.0 * diag(v)", "diag(v) * inf", "0.0 * diag(v) + 1.0", "diag(v) + v", "diag(v) == 0.0",
        "identity(15)", "identity(0)", "eye(20, 21)", "eye(20, 20, 1)", "diag(v, 1)", "__truediv(diag(v), 0.0)",
        "exp(diag(v))", "block(define(d, diag(v)), store(slice(d, 0, 1), 5.0), d)", "diag(v) * reshape(w, list(1, 20))",
        "dot(diag(v), reshape(w, list(20, 1)))"}) {
    const auto found = of_vectors(expression, inlined);
    EXPECT_FALSE(detail::is_diagonal(found)) << expression;
    EXPECT_EQ(found, of_vectors(expression, dense(inlined))) << expression;
  }
}

TEST(diagonals, need_no_memory_for_their_zeros) { // 80 GB
  check({{"sum(dot(identity(100000), ones(100000)))", "1e+05"},
         {"sum(__matmul(ones(100000), 2 * diag(arange(100000)) + identity(100000)))", "1e+10"},
         {"sum(dot(dot(identity(100000), identity(100000)), ones(list(100000, 2))))", "2e+05"},
         {"dot(identity(100000), ones(3))", "error dot: shapes (100000, 100000) and (3,) do not fit for a product"},
         {"identity(4000000000000000000)",
          "error identity: an array of shape (4000000000000000000, 4000000000000000000) is impossible"}});
}

// The sums behind a product have zeros, signs and infinities of their own.
TEST(diagonals, products_have_the_bits_of_all_their_sums) {
  const auto inlined = with_policy(physl::policy::always_inline);
  const double specials[] = {0.0,     -0.0,  1.0,    -3.5,       1e-200,      -1e-200,     5e-324,
                             -5e-324, 1e200, -1e200, k_infinity, -k_infinity, std::nan("")};
  for (const i64 n : {15, 16, 20, 300}) {
    for (std::size_t kind = 0; kind < std::size(specials); ++kind) {
      std::mt19937 engine(static_cast<unsigned>(n));
      const auto filled = [&](const extents& shape) {
        auto a = array::uninitialized(dtype::float64, shape);
        auto* x = a.mutable_data<double>();
        for (i64 i = 0; i < a.size(); ++i) x[i] = engine() % 3 == 0 ? specials[kind] : engine() % 2 ? 1e-200 : -0.75;
        return value(a);
      };
      const std::vector<value> args = {filled({n}), filled({n}), filled({n, 7}), filled({7, n})};
      const physl::program p(
          "define(f, v, w, a, c, list(dot(diag(v), w), dot(w, diag(v)), dot(diag(v), a), dot(c, diag(v)), "
          "dot(diag(v), transpose(c)), dot(transpose(a), transpose(diag(v))), dot(diag(v), diag(w)))) f",
          "t");
      const auto expected = outcome_of(p, args, dense(inlined)), found = outcome_of(p, args, inlined);
      EXPECT_EQ(found, expected) << n << ", " << specials[kind] << ": " << difference(found, expected);
    }
  }
}

TEST(diagonals, share_memory_as_others_do) {
  const char* const k_programs[] = {
      "define(x, diag(arange(20))) __change(slice(x, 0, 1), 5) x",
      "define(x, identity(20)) define(y, x) __change(slice(x, 0, 1), 5.0)",
      "define(x, identity(20)) define(y, transpose(x)) __change(slice(x, 0, 1), 5.0)",
      "define(x, identity(20)) define(y, transpose(x)) __change(slice(y, 0, 1), 5.0)",
      "define(x, identity(20)) define(y, slice(x, 0)) __change(slice(x, 0, 1), 5.0)",
      "define(x, identity(20)) define(y, slice(x, 0)) __change(slice(y, 1), 5.0)",
      "define(x, identity(20)) define(y, slice(x, 0)) __change(slice(x, 0, 1), 5.0, list(y)) x",
      "define(x, transpose(diag(arange(20)))) __change(slice(x, 0, 1), 5) x",
      "define(x, identity(20)) __change(slice(x, list(1, nil)), slice(x, list(nil, -1))) x",
      "define(x, identity(20)) __change(slice(slice(x, 1), 0), 5.0) x",
      "define(x, identity(20)) define(y, list(x)) __update(x, x + identity(20))",
      "define(x, identity(20)) __update(x, x + identity(20)) x",
      "define(x, identity(20)) define(y, sum(x)) store(slice(x, 0, 1), 7.0) list(x, y)",
      "define(x, diag(arange(20))) define(y, x) store(slice(x, 0, 1), 5) list(x, y)",
      "define(x, arange(20) + 0) define(y, diag(x)) __change(slice(x, 0), 7) list(x, y)",
      "define(x, identity(20)) define(y, __reshape(x, list(400))) __change(slice(x, 0, 1), 5.0)",
  };
  for (const char* text : k_programs) {
    const physl::program p(text, "t");
    const auto inlined = with_policy(physl::policy::always_inline);
    const auto expected = outcome_of(p, {}, dense(inlined)), found = outcome_of(p, {}, inlined);
    EXPECT_EQ(found, expected) << text << "\n" << difference(found, expected);
  }
}

TEST(diagonals, make_their_elements_once_whoever_asks) {
  for (int round = 0; round < 50; ++round) {
    const auto shared = of_vectors("diag(v)", with_policy(physl::policy::always_inline)).as_array();
    std::vector<const double*> found(4);
    {
      std::vector<std::jthread> threads;
      for (auto& f : found)
        threads.emplace_back([&f, mine = round % 2 ? shared.transpose() : shared] { f = mine.data<double>(); });
    }
    for (const auto* f : found) EXPECT_EQ(f, shared.data<double>());
    EXPECT_EQ(shared.data<double>()[42], 3.0);
    EXPECT_EQ(shared.view(1, {20}, {20}).data<double>()[1], 0.0);
  }
}

} // namespace
} // namespace treadle::tree
