// Cases of localities_program: array programs.
#include "program.hpp"

#include <treadle/arrays/over_localities.hpp>
#include <treadle/arrays/physl.hpp>
#include <treadle/this_task.hpp>

#include <algorithm>
#include <cstdint>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace treadle::testing {
namespace {

constexpr physl::policy k_policies[] = {physl::policy::always_inline, physl::policy::always_async,
                                        physl::policy::paper_baseline, physl::policy::paper_adaptive,
                                        physl::policy::adaptive};

struct ran {
  std::string result, written;
  friend bool operator==(const ran&, const ran&) = default;
};

ran run(const std::string& text, physl::policy policy = physl::policy::adaptive) {
  ran all;
  physl::run_options options;
  options.policy = policy;
  options.write = [](void* to, std::string_view part) { static_cast<std::string*>(to)->append(part); };
  options.write_context = &all.written;
  all.result = repr(physl::program(text, "test.physl").run({}, options));
  return all;
}

void expect(const std::string& text, const std::string& result) {
  const ran found = run(text);
  if (found.result != result)
    std::fprintf(stderr, "%s\n  gives %s\n  not   %s\n", text.c_str(), found.result.c_str(), result.c_str());
  REQUIRE(found.result == result);
}

physl::error error_of(const std::string& text) {
  try {
    std::fprintf(stderr, "%s gives %s\n", text.c_str(), run(text).result.c_str());
  } catch (const physl::error& e) {
    return e;
  }
  REQUIRE(false);
  return physl::error({});
}
void expect_error(const std::string& text, const std::string& message) {
  const physl::error e = error_of(text);
  if (e.message().find(message) == std::string::npos)
    std::fprintf(stderr, "%s\n  fails with %s\n  not        %s\n", text.c_str(), e.message().c_str(), message.c_str());
  REQUIRE(e.message().find(message) != std::string::npos);
}

std::string place(unsigned n) { return "{L#" + std::to_string(n) + "}"; }

/// The text without its places.
std::string without_places(std::string text) {
  for (std::size_t at = 0; (at = text.find("{L#", at)) != std::string::npos;)
    text.erase(at, text.find('}', at) - at + 1);
  return text;
}

/// Programs of functions that call each other, primitives and effects, each call in some locality.
class random_program {
 public:
  explicit random_program(unsigned seed) : m_random(seed) {}

  std::string make() {
    std::string text = "set_seed(3)\n";
    for (unsigned f = 0; f < 4; ++f, ++m_functions) {
      std::string body = expression(3, {"x", "y"});
      if (below(3) == 0) body = "block(cout(\"f" + std::to_string(f) + "\", x), " + body + ")";
      text += "define(f" + std::to_string(f) + ", x, y, " + body + ")\n";
    }
    text += "define(a, [1.5, 2.0, -3.0])\ndefine(b, [[1, 2, 3], [4, 5, 6]])\ndefine(k, 0)\n";
    text += "while(k < 2, block(store(a, " + expression(3, {"a", "b", "k"}) + " * 0.5), store(k, k + 1)))\n";
    text += "list(" + expression(3, {"a", "b"}) + ", ";
    m_has_effects = false;
    return text + "a, parallel_map(lambda(z, " + expression(2, {"z", "k"}) + "), range(3)))\n";
  }

 private:
  unsigned below(unsigned n) { return std::uniform_int_distribution<unsigned>(0, n - 1)(m_random); }
  std::string somewhere() { return below(3) == 0 ? std::string() : place(below(num_localities())); }

  std::string expression(int depth, const std::vector<std::string>& names) {
    if (depth == 0 || below(5) == 0) {
      const unsigned kind = below(6);
      if (kind == 0) return "2.5";
      if (kind == 1) return "3";
      return names[below(static_cast<unsigned>(names.size()))];
    }
    const auto operand = [&] { return expression(depth - 1, names); };
    constexpr const char* k_two[] = {"__add", "__sub", "__mul", "maximum"};
    constexpr const char* k_one[] = {"__minus", "square", "absolute", "sin", "sum", "transpose"};
    switch (below(!m_has_effects ? 3 : m_functions > 0 ? 5 : 4)) {
    case 0:
    case 1:
      return k_two[below(4)] + somewhere() + "(" + operand() + ", " + operand() + ")";
    case 2: {
      const std::string name = k_one[below(6)];
      return name + somewhere() + "(" + operand() + ")";
    }
    case 3:
      return "__add" + somewhere() + "(" + operand() + ", random" + somewhere() + "(nil, \"uniform\"))";
    default:
      return "f" + std::to_string(below(m_functions)) + somewhere() + "(" + operand() + ", " + operand() + ")";
    }
  }

  std::mt19937 m_random;
  unsigned m_functions = 0;
  bool m_has_effects = true;
};

/// What a program gives, or its error, without the words that tell where it happened.
std::string outcome_of(const std::string& text, physl::policy policy) {
  try {
    const ran all = run(text, policy);
    return all.result + "\n" + all.written;
  } catch (const physl::error& e) {
    std::string message = e.message();
    for (std::size_t at = 0; (at = message.find("locality ")) != std::string::npos;)
      message.erase(at, message.find(": ", at) + 2 - at);
    return message;
  }
}

} // namespace

void placed_calls() {
  const physl::over_localities all;
  const unsigned n = num_localities();
  for (unsigned to = 0; to < n; ++to) {
    const std::string there = place(to), number = std::to_string(to);
    expect("define(f, x, y, x * y + find_here()) f" + there + "([1, 2], 3)",
           "[" + std::to_string(3 + to) + ", " + std::to_string(6 + to) + "]");
    expect("define(f, x, __arg(y, 7), list(x, y)) list(f" + there + "(1), f" + there + "(__arg(y, 2), __arg(x, 1)))",
           "list(list(1, 7), list(1, 2))");
    expect("find_here" + there + "()", number);
    expect("dot" + there + "([[1.0, 2.0]], [3.0, 4.0])", "[11.0]");
    expect("define(fib, k, if(k < 2, k, fib(k - 1) + fib(k - 2))) fib" + there + "(15)", "610");
    expect("define(g, x, f" + place((to + 1) % n) + "(x) + find_here()) define(f, x, 10 * x) g" + there + "(1)",
           std::to_string(10 + to));
    expect("define(f, lambda(list(find_here(), list('(1, 2), \"x\", dict(list(1, 2)), range(3), nil, true)))) f" +
               there + "()",
           "list(" + number + ", list(list(1, 2), \"x\", dict(list(1, 2)), list(0, 1, 2), nil, true))");
    // Effects are those of the program, in its order.
    const std::string effects = "set_seed(5) define(f, k, block(cout(\"f\", k), random(k))) cout(1) "
                                "define(a, list(random(2), f" +
                                there + "(3), random(2))) cout(2) set_seed" + there + "(6) list(a, random(2))";
    for (const auto policy : k_policies) REQUIRE(run(effects, policy) == run(without_places(effects), policy));
    // Errors have their own place, kind and way there.
    const physl::error e = error_of("define(f, x,\n  slice([1, 2], x))\ndefine(g, x, f(x))\n1 + g" + there + "(5)");
    REQUIRE(e.line() == 2 && e.kind() == error_kind::index && e.back_trace().size() == 2);
    REQUIRE(e.back_trace()[0].function == "f" && e.back_trace()[1].line == 4);
    REQUIRE((e.message().find("locality " + number + ": ") == 0) == (to != find_here().number()));
    if (to == find_here().number()) continue;
    expect_error("define(f, x, x) f" + there + "(lambda(1))", "a function cannot be sent to another locality");
    expect_error("define(f, lambda(x, x)) define(g, x, f) g" + there + "(1)", "a function cannot be sent");
    expect_error("define(f, x, f(x)) f" + there + "(1)", "nested more than");
    const std::string back = place(find_here().number());
    expect_error("define(g, x, f" + back + "(x)) define(f, x, g" + there + "(x)) f(1)",
                 "nested too deep over localities");
    // What was written before an error is there, and the error has a place.
    ran all_of_it;
    try {
      physl::run_options options;
      options.write = [](void* into, std::string_view part) { static_cast<std::string*>(into)->append(part); };
      options.write_context = &all_of_it.written;
      const std::string text = "define(f, x, block(cout(\"before\"), lambda(x)))\n\nf" + there + "(1)";
      static_cast<void>(physl::program(text, "test.physl").run({}, options));
      REQUIRE(false);
    } catch (const physl::error& failed) {
      REQUIRE(failed.line() == 3 && all_of_it.written == "before\n");
    }
  }
  expect_error("sin" + place(n) + "(1)", "there is no locality " + std::to_string(n) + ": the program has");
}

void random_placements() {
  const physl::over_localities all;
  for (unsigned seed = 0; seed < 60; ++seed) {
    const std::string text = random_program(1000 * num_localities() + seed).make();
    const auto policy = k_policies[seed % std::size(k_policies)];
    const std::string expected = outcome_of(without_places(text), physl::policy::always_inline);
    const std::string found = outcome_of(text, policy);
    if (found != expected)
      std::fprintf(stderr, "%s\n  gives %s\n  not   %s\n", text.c_str(), found.c_str(), expected.c_str());
    REQUIRE(found == expected);
  }
}

void distributed_arrays() {
  const physl::over_localities all;
  const unsigned n = num_localities();
  const std::string count = std::to_string(n);
  expect("list(num_localities(), len(find_all_localities()))", "list(" + count + ", " + count + ")");
  for (const char* array : {"reshape(arange(35), '(7, 5))", "reshape(arange(3.0), '(1, 3))", "arange(11)",
                            "reshape(arange(24), '(2, 3, 4))", "zeros('(0, 4))"}) {
    const std::string a = std::string("define(a, ") + array + ") ";
    const std::string same = run(a + "list(a, a)").result;
    for (const std::string kind : {"row", "column", "sym"}) {
      const bool is_matrix = run(a + "ndim(a)").result == "2";
      if (kind == "sym" && !is_matrix) continue;
      const std::string t = a + "define(t, retile_d(a, \"" + kind + "\")) ";
      expect(t + "list(all_gather_d(t), a)", same);
      expect(t + "list(all_gather_d(retile_d(t, \"row\")), a)", same);
      expect(t + "list(all_gather_d(transpose_d(t)), a)", run(a + "list(transpose(a), a)").result);
      expect(t + "shape_d(t)", run(a + "shape(a)").result);
      expect(t + "shape_d(t, -1)", run(a + "shape(a, -1)").result);
      if (!is_matrix || run(a + "size(a)").result == "0") continue;
      expect(t + "list(slice_row_d(t, 0), slice_row_d(t, -1), slice_column_d(t, 2))",
             run(a + "list(slice_row(a, 0), slice_row(a, -1), slice_column(a, 2))").result);
      expect(t + "list(argmax_d(t), argmin_d(t, 0), amax_d(t, 1), amin_d(t))",
             run(a + "list(argmax(a), argmin(a, 0), amax(a, 1), amin(a))").result);
      expect_error(t + "slice_row_d(t, 7)", "index 7 is out of bounds");
    }
  }
  // Tiles that belong to no kind, their values computed where they are.
  expect("define(n, find_here()) define(start, astype(n * (n + 1) / 2, \"int\")) define(stop, start + n + 1) "
         "all_gather_d(annotate_d(arange(start, stop), \"v\", "
         "list(\"args\", list(\"locality\", n, 5), list(\"tile\", list(\"columns\", start, stop)))))",
         run("arange(" + std::to_string(n * (n + 1) / 2) + ")").result);
  expect("all_gather_d(array(list(find_here())))", run("arange(" + count + ")").result);
  expect("shape(all_gather_d(array(list(list(find_here()))), \"column\"))", "list(1, " + count + ")");
  expect("all_reduce_d(find_here() + 1)", std::to_string(n * (n + 1) / 2));
  expect("all_reduce_d(array(list(find_here(), 2)), \"max\")", "[" + std::to_string(n - 1) + ", 2]");
  // Made as tiles.
  expect("all_gather_d(constant_d(4.5, '(3, 4)))", run("constant(4.5, '(3, 4))").result);
  expect("all_gather_d(constant_d(4, 5, __arg(dtype, \"float\")))", "[4.0, 4.0, 4.0, 4.0, 4.0]");
  expect("all_gather_d(identity_d(6, __arg(tiling_type, \"sym\")))", run("identity(6)").result);
  expect("set_seed(7) all_gather_d(random_d('(5, 3), __arg(tiling_type, \"column\")))",
         run("set_seed(7) random('(5, 3))").result);
  expect("all_gather_d(inverse_d(retile_d([[2.0, 0.0], [0.0, 4.0]])))", "[[0.5, 0.0], [0.0, 0.25]]");
  // What is computed from a tile is none; a copy is, also one that is changed, or comes out of a list.
  for (const char* change : {"store(slice(t, 0, 0), 5)", "store(slice(t, nil, 0), 7)",
                             "for_in(i, range(shape(t, 0)), store(slice(t, i, 0), i))", "store(t, slice(list(t), 0))",
                             "store(t, car(list(t)))", "define(f, x, list(x, 1)) store(t, slice(f(t), 0))"})
    expect("define(t, retile_d(reshape(arange(4 * num_localities()), list(2, 2 * num_localities())), \"column\")) " +
               std::string(change) + " shape_d(t)",
           "list(2, " + std::to_string(2 * n) + ")");
  expect("define(t, retile_d(reshape(arange(8), '(4, 2)))) if(shape(t, 0) > 0, store(slice(t, 0, 1), 50)) "
         "amax_d(t)",
         "50");
  expect("define(t, constant_d(1, '(4, 2))) define(u, t) shape_d(u)", "list(4, 2)");
  if (n > 1) {
    expect("define(t, constant_d(1, '(4, 2))) shape_d(t + 0) != list(4, 2)", "true");
    expect("define(t, constant_d(1, '(4, 2))) shape_d(astype(t, \"int\")) != list(4, 2)", "true");
  }
}

void distributed_products() {
  const physl::over_localities all;
  const std::string a = "reshape(arange(35), '(7, 5)) * 1.0", b = "reshape(arange(15), '(5, 3)) - 7.0",
                    u = "arange(5) * 2.0", w = "arange(7) + 1.0";
  const std::string kinds[] = {"", "row", "column", "sym"};
  const auto tiled = [](const std::string& x, const std::string& kind) {
    return kind.empty() ? x : "retile_d(" + x + ", \"" + kind + "\")";
  };
  const auto same = [&](const std::string& x, const std::string& kx, const std::string& y, const std::string& ky) {
    expect("define(p, dot_d(" + tiled(x, kx) + ", " + tiled(y, ky) +
               ")) if(ndim(p) == 0, p, all_gather_d(retile_d(p)))",
           run("dot(" + x + ", " + y + ")").result);
  };
  for (const auto& kx : kinds) {
    for (const auto& ky : kinds) {
      same(a, kx, b, ky);
      if (ky == "sym") continue;
      same(a, kx, u, ky);
      if (kx == "sym") continue;
      same(u, kx, b, ky);
      same(u, kx, u, ky);
    }
    if (kx != "sym") same(w, kx, a, "sym");
  }
  expect_error("dot_d([1, 2], [1, 2, 3])", "shapes (2,) and (3,) do not fit");

  // Tile by tile: matrices of all shapes and kinds, which have few elements or none for some localities.
  std::mt19937 random(num_localities());
  const auto matrix = [&](unsigned rows, unsigned columns) {
    const std::string shape = "'(" + std::to_string(rows) + ", " + std::to_string(columns) + ")";
    const std::string x = "reshape(arange(" + std::to_string(rows * columns) + "), " + shape + ") - 5";
    return random() % 2 == 0 ? x : "astype(" + x + ", \"float\")";
  };
  for (int i = 0; i < 60; ++i) {
    const unsigned rows = static_cast<unsigned>(random() % 9), inner = static_cast<unsigned>(random() % 9),
                   columns = static_cast<unsigned>(random() % 9);
    const std::string x = matrix(rows, inner), y = matrix(inner, columns);
    const auto kind = [&](const std::string& m) { return tiled(m, kinds[random() % std::size(kinds)]); };
    expect("all_gather_d(retile_d(cannon_product_d(" + kind(x) + ", " + kind(y) + ")))",
           run("dot(" + x + ", " + y + ")").result);
  }
  const std::string uneven = "define(cut, lambda(i, i * i)) define(from, cut(find_here())) "
                             "define(to, cut(find_here() + 1)) define(m, cut(num_localities())) "
                             "define(x, reshape(arange(m * m), list(m, m))) ";
  expect(uneven +
             "define(rows, annotate_d(slice(x, list(from, to)), \"x\", list(\"tile\", list(\"rows\", from, to), "
             "list(\"columns\", 0, m)))) sum(all_gather_d(cannon_product_d(rows, retile_d(x, \"sym\"))) != dot(x, x))",
         "0");
  // Tiles of different types are those of one array: true and 1 add up as numbers.
  for (const std::string product : {"dot_d", "cannon_product_d"})
    expect("define(n, num_localities()) define(x, retile_d(ones(list(n, 3)) == 1)) "
           "if(find_here() > 0, store(x, annotate_d(constant(1, list(1, 3)), \"\", list(\"tile\", "
           "list(\"rows\", find_here(), find_here() + 1))))) all_gather_d(" +
               product + "(x, ones('(3, 1)) == 1))",
           run("define(n, num_localities()) if(n == 1, dot(ones('(1, 3)) == 1, ones('(3, 1)) == 1), constant(3, "
               "list(n, 1)))")
               .result);
  expect_error("cannon_product_d([1, 2], [[1], [2]])", "takes matrices");
  expect_error("cannon_product_d(retile_d([[1, 2]]), [[1, 2]])",
               "cannon_product_d(): operands of shapes (1, 2) and (1, 2)");
}

/// Tiles of batches, of lengths (equal and uneven ones, some shorter than a kernel, some empty) and of channels.
void distributed_convolutions() {
  const physl::over_localities all;
  std::mt19937 random(num_localities() + 7);
  const auto upto = [&](unsigned most) { return static_cast<unsigned>(random() % (most + 1)); };
  const std::string here = "define(n, num_localities()) define(i, find_here()) ";
  for (int round = 0; round < 60; ++round) {
    const unsigned batch = 1 + upto(3), length = upto(20), channels = 1 + upto(2), width = 1 + upto(3),
                   filters = 1 + upto(1);
    const auto array = [](unsigned a, unsigned b, unsigned c, int less) {
      return "(reshape(arange(" + std::to_string(a * b * c) + "), list(" + std::to_string(a) + ", " +
             std::to_string(b) + ", " + std::to_string(c) + ")) - " + std::to_string(less) + ")";
    };
    const std::string x = array(batch, length, channels, 5), kernel = array(width, channels, filters, 2);
    const std::string how = std::vector<std::string>{", \"valid\", ", ", \"same\", ", ", \"causal\", "}[random() % 3] +
                            std::to_string(1 + upto(2)) + ", " + std::to_string(1 + upto(3)) + ")";
    const std::string text = std::to_string(length);
    const std::string ranges[] = {"define(cut, lambda(k, k * " + text + " / n)) ", "define(cut, lambda(k, if(k == n, " +
                                                                                       text + ", if(k * k < " + text +
                                                                                       ", k * k, " + text + ")))) "};
    const std::string along_length =
        ranges[random() % 2] +
        "define(tile, annotate_d(slice(x, nil, list(cut(i), cut(i + 1))), \"x\", list(\"tile\", list(\"pages\", 0, " +
        std::to_string(batch) + "), list(\"rows\", cut(i), cut(i + 1)), list(\"columns\", 0, " +
        std::to_string(channels) + ")))) ";
    const std::string tiles[] = {along_length, "define(tile, retile_d(x)) ", "define(tile, retile_d(x, \"column\")) ",
                                 "define(tile, x) "};
    const std::size_t kind = random() % 5;
    expect(here + "define(x, " + x + ") " + tiles[kind < 2 ? 0 : kind - 1] + "all_gather_d(retile_d(conv1d_d(tile, " +
               kernel + how + "))",
           run("conv1d(" + x + ", " + kernel + how).result);
  }
  expect_error("conv1d_d(retile_d([[[1, 2]]]), [[[1]]])", "the input has 2 channels, the kernel 1");
}

void distributed_diagonals() {
  const physl::over_localities all;
  for (const char* array : {"arange(5)", "arange(1.5, 2.0)", "zeros(0)", "reshape(arange(35), '(7, 5))",
                            "reshape(arange(12.0), '(3, 4))", "zeros('(0, 4))"}) {
    const bool is_matrix = run("ndim(" + std::string(array) + ")").result == "2";
    for (const std::int64_t k : {-INT64_MAX, INT64_MAX}) {
      const std::string at_the_end = "retile_d(" + std::string(array) + "), " + std::to_string(k) + ")";
      is_matrix ? expect("size(all_gather_d(diag_d(" + at_the_end + "))", "0")
                : expect_error("diag_d(" + at_the_end, "is too far from the main one");
    }
    for (int k = -8; k <= 8; ++k) {
      const std::string with_k = ", " + std::to_string(k) + ")";
      const std::string whole = run("diag(" + std::string(array) + with_k).result;
      for (const std::string of : {"", "row", "column", "sym"}) {
        if (of == "sym" && !is_matrix) continue;
        const std::string x = of.empty() ? array : "retile_d(" + std::string(array) + ", \"" + of + "\")";
        expect("all_gather_d(diag_d(" + x + with_k + ")", whole);
        if (is_matrix) continue;
        expect("all_gather_d(diag_d(" + x + ", " + std::to_string(k) + ", __arg(tiling_type, \"sym\")))", whole);
      }
    }
  }
  expect_error("diag_d(5)", "expected a vector or a matrix");
  expect_error("diag_d([1, 2], 0, 3, 2)", "there is no tile 3 of 2");
}

void array_faults() {
  const unsigned n = num_localities(), own = find_here().number();
  if (n > 1) expect_error("all_gather_d([1])", "has no treadle::physl::over_localities");
  if (n > 1) expect_error("sin" + place((own + 1) % n) + "(1)", "has no treadle::physl::over_localities");
  {
    const physl::over_localities all;
    try {
      const physl::over_localities again;
      REQUIRE(false);
    } catch (const std::logic_error&) {
    }
    if (n == 1) return;
    const std::string gathered = "all_gather_d(annotate_d(arange(to - from), \"v\", "
                                 "list(\"tile\", list(\"rows\", from, to))))";
    expect_error("define(from, find_here()) define(to, from + 2) " + gathered,
                 "the tiles of \"v\" overlap: [0:2] and [1:3]");
    expect_error("define(from, 2 * find_here()) define(to, from + 1) " + gathered,
                 "the tiles of \"v\" leave gaps: [0:1], [2:3]");
    expect_error("all_gather_d(if(find_here() == 0, constant_d(1, 5), [1]))",
                 "is a tile in some localities, and none in others");
    expect_error("all_gather_d(constant_d(1, 5, nil, nil, if(find_here() == 0, \"v\", \"w\")))",
                 "a tile of \"v\" meets");
    // Localities that do different things.
    const std::string other = own == 0 ? "all_gather_d([1])" : "all_reduce_d(1)";
    expect_error(other, "runs another program");
    expect_error("if(find_here() == 0, all_gather_d([1]), all_reduce_d(1))", "where another one calls");
    expect_error("all_reduce_d(if(find_here() == 0, [1], [1, 2]))", "in different localities");
    expect_error("all_reduce_d(constant_d(1, 5))", "is a tile of one array");
    // One that does not get to run counts as one.
    if (own == 1) {
      physl::program("all_reduce_d(10)", "test.physl").not_run("no reason");
    } else {
      expect_error("all_reduce_d(10)", "no reason");
    }
    expect("all_reduce_d(1)", std::to_string(n)); // the next run is one again
    expect_error("if(find_here() == 1, 1 + \"x\", all_reduce_d(1))", own == 1 ? "" : "the program has failed in");
    if (own == 1)
      expect("if(find_here() == 1, 5, all_reduce_d(1))", "5");
    else
      expect_error("if(find_here() == 1, 5, all_reduce_d(1))", "has ended this run without all_reduce_d()");
    expect("all_reduce_d(2)", std::to_string(2 * n));
    // A call elsewhere that never ends is cancelled there, too.
    {
      std::atomic<bool> cancel{false};
      physl::run_options options;
      options.cancel = &cancel;
      std::thread later([&cancel] { // all workers may be busy with the calls of others
        this_task::sleep_for_ns(100'000'000);
        cancel = true;
      });
      try {
        static_cast<void>(physl::program("define(f, x, while(true, x)) f" + place((own + 1) % n) + "(1)", "test.physl")
                              .run({}, options));
        REQUIRE(false);
      } catch (const physl::error& e) {
        REQUIRE(e.message().find("cancelled") != std::string::npos);
      }
      later.join();
    }
    // A run that is cancelled while it waits takes the others with it.
    if (own == 0) {
      std::atomic<bool> cancel{true};
      physl::run_options options;
      options.cancel = &cancel;
      try {
        static_cast<void>(physl::program("all_reduce_d(1)", "test.physl").run({}, options));
      } catch (const physl::error&) { // unless all of them came first
      }
    } else {
      try {
        static_cast<void>(run("all_reduce_d(1)"));
      } catch (const physl::error&) {
      }
    }
    if (own == 1) return; // it ends before the others
    expect_error("all_reduce_d(3)", "has ended without all_reduce_d()");
  }
}

void array_programs_without_others() {
  const unsigned n = num_localities();
  if (find_here().number() == 0 && n > 1) return; // it never reaches others, and ends
  const physl::over_localities all;
  if (n > 1) expect_error("all_reduce_d(3)", "has ended without all_reduce_d()");
}

} // namespace treadle::testing
