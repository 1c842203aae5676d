// Programs split over workers give what they give one after the other: values, errors, effects and statistics.
#include <treadle/observe/trace.hpp>

#include "tree/test_support.hpp"

#include <algorithm>
#include <map>
#include <random>

namespace treadle::tree {
namespace {

using physl::policy;

constexpr unsigned k_many_workers[] = {1, 2, 4, 8};

// The result or the error as text, and what was printed.
std::string outcome(const physl::program& p, physl::run_options options, std::span<const value> args = {}) {
  std::string printed;
  options.write = [](void* to, std::string_view part) { *static_cast<std::string*>(to) += part; };
  options.write_context = &printed;
  try {
    return printed + repr(p.run(args, options));
  } catch (const physl::error& e) {
    return printed + e.what();
  }
}

void expect_same_everywhere(const std::string& text, int repetitions = 3) {
  const auto expected = outcome(physl::program(text, "t"), with_policy(policy::always_inline));
  for (unsigned count : k_many_workers) {
    const workers w(count);
    for (const auto& options : splitting_options()) {
      const physl::program p(text, "t");
      for (int i = 0; i < repetitions; ++i)
        EXPECT_EQ(outcome(p, options), expected)
            << text << "\nwith " << to_string(options.policy) << ", workers " << count << ", run " << i;
    }
  }
}

TEST(adaptive, what_a_nested_loop_writes_is_written_by_the_loop_around) {
  expect_same_everywhere("define(f, x, y, block(define(k), define(u), define(i), store(x, x), store(y, y), "
                         "for_in(k, range(5), block("
                         "for_in(u, range(10), store(slice(x, u, list()), slice(y, 0, list()) * 0.5 + u)), "
                         "for_in(i, range(5), store(slice(y, i, list()), slice(x, i, list()) * 0.25)))), "
                         "list(x, y))) f(constant(1.0, list(10, 3)), constant(2.0, list(5, 3)))",
                         30);
}

TEST(adaptive, loops_leave_what_they_leave_one_turn_after_the_other) {
  const char* const k_setup = "define(x, constant(0, list(40))) define(m, constant(0.0, list(40, 3))) define(i, 0) "
                              "define(s, 7) define(t, -1) ";
  for (const char* loop : {
           "while(i < 40, block(define(t, i * s), store(slice(x, i), t + 1), store(i, i + 1)))",
           "while(i < 40, block(store(slice(x, i), slice(x, i) + i), store(i, i + 1), store(i, i)))",
           "while(i < 40, block(store(slice(m, list(i, i + 1, 1), nil), [1.0, 2.0, 3.0] * i), store(i, i + 1)))",
           "while(i < 3, block(store(slice_column(m, i), x + i), store(i, i + 1)))",
           "while(i <= 38, block(store(slice(x, i), i), store(slice(x, i + 1), -i), store(i, i + 2)))",
           "while(i < 0, block(define(t, i), store(slice(x, i), t), store(i, i + 1)))",
           "while(i < 1, block(define(t, i), store(slice(x, i), 5), store(i, i + 1)))",
           "block(store(i, -5), while(i < 20, block(define(t, i), store(slice(x, i), i * i), store(i, i + 1))))",
           "block(store(i, -3), while(i < 40, block(store(slice(x, list(i, i + 1)), i), store(i, i + 1))))",
           "for(store(i, 2), i < 33, store(i, i + 3), block(define(t, i), store(slice(x, i), t)))",
           "for_in(i, range(40), block(define(t, i * 2), store(slice(x, i), t)))",
           "for_in(i, range(5, 40, 7), store(slice(x, i), i))",
           "for_in(i, range(39, 0, -1), store(slice(x, i), i))",
           "for_in(i, range(-20, 20), block(define(t, i), store(slice(x, i), i)))",
           "for_in(i, '(3, 3, 5), store(slice(x, i), i + s))",
           "for_in(i, [1.5, 2.5, 3.5], define(t, i * i))",
           "for_in(i, range(20), for_in(t, range(3), store(slice(m, i, t), i * 10.0 + t)))",
           "for_in(i, range(30), block(define(y, constant(0, list(5))), for_in(t, range(5), store(slice(y, t), t * "
           "i)), "
           "store(slice(x, i), sum(y))))",
           "for_in(i, range(20), block(define(r, slice(m, i)), store(slice(m, i), r + 1.0), define(t, r)))",
           "while(i < 40, block(store(s, s * 31 + i), store(slice(x, i), s), store(i, i + 1)))",
           "while(i < 38, block(store(slice(x, i + 2), slice(x, i) + slice(x, i + 1) + i), store(i, i + 1)))",
           "while(i < 40, block(store(slice(x, 0), i), store(i, i + 1)))",
           "while(i < 30, block(if(i % 3 == 0, store(s, i)), store(i, i + 1)))",
           "while(i < 40, block(if(i == 17, break()), store(slice(x, i), i), store(i, i + 1)))",
           "while(i < 9, block(cout(i), store(slice(x, i), i), store(i, i + 1)))",
           "while(i < 9, block(store(slice(m, i), random(list(3))), store(i, i + 1)))",
           "block(define(last, nil), while(i < 9, block(store(last, lambda(i)), store(i, i + 1))), store(s, last()))",
           "block(define(n, 20), while(i < n, block(store(n, n - 1), store(slice(x, i), n), store(i, i + 1))))",
           "block(define(view, slice(m, 3)), while(i < 20, block(store(slice(m, i), i), store(i, i + 1))), cout(view))",
           "block(define(y, x), while(i < 20, block(store(slice(x, i), i), store(i, i + 1))), cout(y))",
           "block(define(l, '(1, 2, 3)), while(i < 3, block(store(slice(l, i), i), store(i, i + 1))), cout(l))",
           "while(i < 5.5, block(store(slice(x, i), i), store(i, i + 1)))",
       }) {
    const std::string text = loop;
    expect_same_everywhere(k_setup + text + " list(x, m, i, s, t)");
    expect_same_everywhere("define(f, x, m, i, s, t, block(" + text +
                           ", list(x, m, i, s, t))) f(constant(0, list(40)), constant(0.0, list(40, 3)), 0, 7, -1)");
    expect_same_everywhere(k_setup + text); // the value of the loop itself
  }
}

TEST(adaptive, the_first_error_is_the_one_that_counts) {
  for (const char* body : {
           "store(slice(x, i), 10 / (i - 7))",
           "store(slice(x, i + 30), i)",
           "store(slice(x, i), if(i == 11, 1 / 0, if(i == 5, slice(x, 99 + i), i)))",
           "if(i > 3, define(t, nothing + i), define(t, i))",
           "store(slice(x, i), [1, 2] * i)",
           "store(slice(x, i), if(i > 20, fail(i), i))",
       })
    expect_same_everywhere(
        "define(nothing) define(fail, k, k / (k - k)) define(x, constant(0, list(40))) define(i, 0)\n"
        "cout(1)\nwhile(i < 40, block(" +
        std::string(body) + ", store(i, i + 1)))\ncout(2)");
  for (const char* statements : {
           "define(a, 1 / x), define(b, slice([1], 5)), cout(9)",
           "define(a, x + 1), define(b, a / x), define(c, 1 % x), define(d, slice([1], a)), cout(d)",
           "define(a, slice([1], 5)), define(b, 1 / x), a",
           "list(1 / x, slice([1], 5))",
           "slice([1], 5) + 1 / x",
       })
    expect_same_everywhere("define(f, x, block(" + std::string(statements) + ")) f(0)");
}

TEST(adaptive, blocks_and_operands_give_the_same_in_any_order) {
  for (const char* text : {
           "define(f, n, sum(arange(n * 1.0))) define(g, n, block(define(a, f(n)), define(b, f(n + 1)), define(c, a - "
           "b), "
           "define(d, f(n) * 2.0), list(a, b, c, d))) g(100) g(1000)",
           "define(f, n, if(n < 2, n, f(n - 1) + f(n - 2))) list(f(10), f(12), f(3))",
           "define(f, x, block(define(y, x + 1), define(x, x * 2), define(z, x + y), list(x, y, z))) f(1) f(2)",
           "define(x, 0) define(f, block(parallel_block(store(x, 1 + 1), cos(0.0)), x)) f",
           "define(f, n, block(define(i, 0), define(j, 0), define(x, constant(0, list(n))), define(y, constant(1, "
           "list(n))),"
           "while(i < n, block(store(slice(x, i), i), store(i, i + 1))),"
           "while(j < n, block(store(slice(y, j), j), store(j, j + 1))), list(x, y, i, j))) f(20) f(30)",
           "parallel_map(lambda(k, sum(arange(k + 10.0))), range(100))",
           "define(s, 0) parallel_map(lambda(k, store(s, s * 0 + 1)), range(50)) s",
           "define(f, k, async(sum(arange(k + 100.0)))) fold_left(__add, 0.0, fmap(f, range(30)))",
       })
    expect_same_everywhere(text);
}

TEST(adaptive, counts_every_evaluation_exactly) {
  const char* const k_text = "define(x, constant(0, list(50))) define(i, 0)\n"
                             "while(i < 50, block(define(t, i + 1), store(slice(x, i), t), store(i, i + 1)))";
  const auto counts = [&](const physl::run_options& options) {
    const physl::program p(k_text, "t");
    for (int i = 0; i < 3; ++i) static_cast<void>(p.run({}, options));
    std::map<std::string, std::uint64_t> result;
    for (const auto& n : p.profile()) {
      result[n.name] = n.count;
      EXPECT_EQ(n.inlined + n.spawned, n.count);
    }
    return result;
  };
  const auto expected = counts(with_policy(policy::always_inline));
  for (unsigned count : k_many_workers) {
    const workers w(count);
    for (const auto& options : splitting_options()) EXPECT_EQ(counts(options), expected) << count;
  }
}

TEST(adaptive, a_single_worker_splits_nothing_and_moves_nowhere) {
  const workers w(1);
  const physl::program p(
      "define(x, constant(0.0, list(50))) for_in(i, range(50), store(slice(x, i), sum(arange(1e3))))", "t");
  auto options = with_policy(policy::adaptive);
  options.worth_ns = 0;
  for (int i = 0; i < 3; ++i) static_cast<void>(p.run({}, options));
  EXPECT_EQ(w.rt.statistics().tasks_created, 0u);
}

// A recording for predictions: with more workers there would be parts.
TEST(adaptive, a_single_worker_splits_what_it_could_give_away_while_that_is_recorded) {
  const workers w(1);
  const physl::program p("define(f, x, block(define(i), for_in(i, range(64), store(slice(x, i), "
                         "sum(constant(1.0, list(20000))))), x)) f(constant(0.0, list(64)))",
                         "t");
  static_cast<void>(p.run({}, with_policy(policy::adaptive))); // measures
  const auto before = w.rt.statistics().tasks_created;
  const trace recording(trace::default_records, true);
  EXPECT_EQ(repr(p.run({}, with_policy(policy::adaptive))), repr(p.run({}, with_policy(policy::always_inline))));
  EXPECT_GT(w.rt.statistics().tasks_created, before);
}

// How many evaluations of the body of the loop went to other tasks than the one that came to the loop.
std::uint64_t given_away(std::uint64_t worth_ns, int runs) {
  const physl::program p(
      "define(work, n, block(define(s, 0), define(k, 0), while(k < n, block(store(s, s + k), store(k, "
      "k + 1))), s))\nfor_in(i, range(64), sqrt(work(300) * 1.0))",
      "t");
  auto options = with_policy(policy::adaptive);
  options.worth_ns = worth_ns;
  std::uint64_t spawned = 0;
  for (int i = 0; i < runs && spawned == 0; ++i) {
    static_cast<void>(p.run({}, options));
    for (const auto& n : p.profile())
      if (n.primitive == "sqrt") spawned += n.spawned;
  }
  return spawned;
}

TEST(adaptive, gives_away_what_is_worth_it) {
  const workers w(4);
  EXPECT_GT(given_away(1, 1000), 0u);
  EXPECT_EQ(given_away(~std::uint64_t{0}, 10), 0u);
}

TEST(adaptive, cancellation_reaches_all_parts) {
  const workers w(4);
  const std::atomic<bool> cancel{true};
  auto options = with_policy(policy::adaptive);
  options.worth_ns = 0;
  options.cancel = &cancel;
  EXPECT_THROW(static_cast<void>(physl::program("define(i, 0) while(i < 1000, store(i, i + 1))", "t").run({}, options)),
               physl::error);
}

TEST(adaptive, asynchronous_values_may_keep_frames) {
  const workers w(2);
  const physl::program p("define(make, n, async(lambda(n))) for_in(i, range(200), make(i)) 7", "t");
  for (const auto how : {policy::always_async, policy::paper_baseline})
    EXPECT_EQ(repr(p.run({}, with_policy(how))), "7");
}

TEST(adaptive, the_step_of_an_inner_loop_follows_continue) {
  const physl::program p("define(f, block(define(i, 0), define(y, 5), define(j, 0), while(i < 10, block("
                         "for(store(j, 0), j < 3, store(j, j + y), block(if(i < 5, continue()), store(y, 1))), "
                         "store(y, 2), store(i, i + 1))), y)) f()",
                         "t");
  for (const auto& note : p.parallelism()) {
    if (note.form != "while") continue;
    EXPECT_FALSE(note.parallel);
    EXPECT_NE(note.text.find("'y'"), std::string::npos) << note.text;
  }
}

TEST(adaptive, decisions_are_forgotten_with_the_profile) {
  const workers w(2);
  const physl::program p("define(s, 0) for_in(i, range(3000), store(s, s + sum(arange(500.0)) + sum(arange(500.0)))) s",
                         "t");
  for (const auto how : {policy::paper_adaptive, policy::adaptive}) {
    const auto expected = repr(p.run({}, with_policy(how)));
    p.reset_profile();
    EXPECT_EQ(p.splitting().threshold_ns, 0);
    EXPECT_EQ(repr(p.run({}, with_policy(how))), expected);
  }
}

// Random programs ---------------------------------------------------------------------------------------------------

class generator {
 public:
  explicit generator(unsigned seed) : m_random(seed) {}

  // Loops and blocks over a few variables of a function, and at the end all of them.
  std::string program() {
    std::string text = "define(f, a, b, s, t, block(define(i, 0), define(j, 0)";
    for (int k = 0; k < 4; ++k) text += ",\n  " + statement(2);
    return text + ",\n  list(a, b, s, t, i, j)))\nf(arange(12), constant(1, list(12)), 3, 4)";
  }

 private:
  unsigned pick(unsigned n) { return static_cast<unsigned>(m_random() % n); }
  std::string number() { return std::to_string(pick(6)); }
  std::string scalar() { return pick(2) ? "s" : "t"; }
  std::string array() { return pick(3) ? "a" : "b"; }
  std::string counter() { return m_inner && pick(2) ? "j" : "i"; }

  std::string index() {
    switch (pick(8)) {
    case 0:
      return number();
    case 1:
      return counter() + " + 1";
    case 2:
      return "list(" + number() + ")";
    case 3:
      return "s % 4";
    default:
      return m_inner ? counter() : "i";
    }
  }
  std::string element() { return "slice(" + array() + ", " + index() + ")"; }

  std::string expression(int depth) {
    if (depth == 0 || pick(4) == 0) {
      const std::string leaves[] = {number(), scalar(), counter(), element(), element()};
      return leaves[pick(5)];
    }
    if (pick(8) == 0) return "sum(" + array() + ")";
    const char* const operators[] = {" + ", " - ", " * "};
    return "(" + expression(depth - 1) + operators[pick(3)] + expression(depth - 1) + ")";
  }
  std::string condition() { return expression(1) + " % 3 == 0"; }

  std::string statement(int depth) {
    switch (pick(depth > 0 ? 7 : 4)) {
    case 0:
    case 1:
      return "store(" + scalar() + ", " + expression(2) + ")";
    case 2:
    case 3:
      return "store(" + element() + ", " + expression(2) + ")";
    case 4:
      return "if(" + condition() + ", " + statement(depth - 1) + ", " + statement(depth - 1) + ")";
    default:
      return m_inner ? block(depth - 1) : loop(depth - 1);
    }
  }
  std::string block(int depth) {
    std::string text = "block(";
    const auto count = 1 + pick(3);
    for (unsigned k = 0; k < count; ++k) text += (k ? ", " : "") + statement(depth);
    return text + ")";
  }
  std::string loop(int depth) {
    const bool nested = m_loops > 0;
    const std::string variable = nested ? "j" : "i";
    const bool outer = std::exchange(m_inner, nested);
    ++m_loops;
    const auto body = block(depth);
    --m_loops;
    m_inner = outer;
    switch (pick(3)) {
    case 0:
      return "for_in(" + variable + ", range(9), " + body + ")";
    case 1:
      return "for(store(" + variable + ", 1), " + variable + " < 9, store(" + variable + ", " + variable + " + 1), " +
             body + ")";
    default:
      return "block(store(" + variable + ", 0), while(" + variable + " < 9, block(" + body + ", store(" + variable +
             ", " + variable + " + 1))))";
    }
  }

  std::mt19937 m_random;
  int m_loops = 0;
  bool m_inner = false;
};

TEST(adaptive, random_programs_give_the_same_under_every_policy) {
  const unsigned first_seed = std::random_device()();
  int parallel_loops = 0;
  std::vector<std::pair<std::string, std::string>> programs; // with what they give
  for (unsigned i = 0; i < (detail::k_sanitized ? 50 : 150); ++i) {
    const auto text = generator(first_seed + i).program();
    const physl::program p(text, "t");
    for (const auto& n : p.parallelism()) parallel_loops += n.parallel && n.form != "block";
    programs.emplace_back(text, outcome(p, with_policy(policy::always_inline)));
  }
  EXPECT_GT(parallel_loops, static_cast<int>(programs.size()) / 8) << "seed " << first_seed;
  for (unsigned count : k_many_workers) {
    const workers w(count);
    for (unsigned i = 0; i < programs.size(); ++i)
      for (const auto& options : splitting_options()) {
        const physl::program p(programs[i].first, "t");
        for (int repetition = 0; repetition < 2; ++repetition)
          ASSERT_EQ(outcome(p, options), programs[i].second)
              << "seed " << first_seed + i << ", " << to_string(options.policy) << ", workers " << count << "\n"
              << programs[i].first;
      }
  }
}

} // namespace
} // namespace treadle::tree
