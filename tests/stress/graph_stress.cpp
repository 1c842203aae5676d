// Random programs of tasks against their serial evaluation. A seed decides the whole program: the graph, how each node
// starts (async, dataflow, then, parallel_invoke ...) and where it blocks. seeds.hpp says how a failure is replayed.

#include "chaos/chaos.hpp"
#include "stress/changing_concurrency.hpp"
#include "stress/seeds.hpp"

#include <treadle/algorithm/for_loop.hpp>
#include <treadle/treadle.hpp>

#include <mutex>
#include <random>
#include <stdexcept>

namespace treadle {
namespace {

using value = std::uint64_t;

value mix(value a, value b) { return (a ^ (b + 0x9E3779B97F4A7C15u + (a << 6) + (a >> 2))) * 0xBF58476D1CE4E5B9u; }

struct node {
  unsigned left, right; // earlier nodes
  unsigned start;       // how it becomes a task
  unsigned disturb;     // what it does besides computing
  bool throws;
};

std::vector<node> random_program(std::uint64_t seed, unsigned size) {
  std::mt19937_64 random(seed);
  std::vector<node> program(size);
  for (unsigned i = 0; i < size; ++i) {
    const auto pick = [&] { return static_cast<unsigned>(i == 0 ? 0 : random() % i); };
    program[i] = {pick(), pick(), static_cast<unsigned>(random() % 14), static_cast<unsigned>(random() % 12),
                  i > 0 && random() % 50 == 0};
  }
  return program;
}

struct failed_node : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Value of each node; 0 marks one that fails, itself or through an input.
std::vector<value> evaluate_serially(const std::vector<node>& program) {
  std::vector<value> result(program.size());
  for (std::size_t i = 0; i < program.size(); ++i) {
    const node& n = program[i];
    const value a = i == 0 ? 1 : result[n.left];
    const value b = i == 0 ? 1 : result[n.right];
    result[i] = n.throws || a == 0 || b == 0 ? 0 : mix(a, b) | 1;
  }
  return result;
}

class machine {
 public:
  explicit machine(const std::vector<node>& program) : m_program(program), m_result(program.size()) {
    for (std::size_t i = 0; i < program.size(); ++i) m_result[i] = start(static_cast<unsigned>(i));
  }
  shared_future<value> result(std::size_t i) const { return m_result[i]; }

 private:
  shared_future<value> start(unsigned i) {
    if (i == 0) return make_ready_future(compute(m_program[0], 1, 1)).share();
    const node& n = m_program[i];
    auto a = m_result[n.left];
    auto b = m_result[n.right];
    const auto join = [this, &n](shared_future<value> x, shared_future<value> y) {
      return compute(n, x.get(), y.get());
    };
    switch (n.start) {
    case 0:
      return async(join, a, b).share();
    case 1:
      return async(launch::deferred, join, a, b).share();
    case 2:
      return async(launch::fork, join, a, b).share();
    case 3:
      return async(launch::adaptive, join, a, b).share();
    case 4:
      return dataflow(join, a, b).share();
    case 5:
      return dataflow(launch::sync, join, a, b).share();
    case 6:
      return a.then([join, b](shared_future<value> x) { return join(x, b); }).share();
    case 7: // a future in a future
      return dataflow([join](shared_future<value> x, shared_future<value> y) { return async(join, x, y); }, a, b)
          .share();
    case 8: // both inputs waited for by the halves of a fork
      return async([this, &n, a, b] {
               value x = 0, y = 0;
               parallel_invoke([&] { x = a.get(); }, [&] { y = b.get(); });
               return compute(n, x, y);
             })
          .share();
    case 9:
      return async([this, &n, a, b] {
               value x = 0, y = 0;
               task_group group;
               group.run([&] { x = a.get(); });
               group.run([&] { y = b.get(); });
               group.wait();
               return compute(n, x, y);
             })
          .share();
    case 10: // two iterations of a loop wait
      return async([this, &n, a, b] {
               value x = 0, y = 0, iterations = 0;
               for_loop(par, 0u, 64u, reduction_plus(iterations), [&](unsigned k, value& count) {
                 if (k == 5) x = a.get();
                 if (k == 40) y = b.get();
                 ++count;
               });
               return iterations == 64 ? compute(n, x, y) : 0;
             })
          .share();
    case 11:
      return async(parallel_executor(static_cast<priority>(n.left % 4)), join, a, b).share();
    case 12:
      return dataflow(pool_executor("side"), join, a, b).share();
    default: // promise completed by another task
      promise<value> p;
      auto f = p.get_future().share();
      static_cast<void>(async([join, a, b, q = std::move(p)]() mutable {
        try {
          q.set_value(join(a, b));
        } catch (...) {
          q.set_exception(std::current_exception());
        }
      }));
      return f;
    }
  }

  value compute(const node& n, value a, value b) {
    switch (n.disturb) {
    case 0:
      this_task::yield();
      break;
    case 1:
      this_task::sleep_for_ns(1000 * static_cast<std::int64_t>(a % 50));
      break;
    case 2: {
      std::lock_guard guard(m_mutex);
      this_task::yield();
      ++m_locked;
      break;
    }
    case 3:
      try {
        throw failed_node("inner");
      } catch (const failed_node&) {
        this_task::yield();
      }
      break;
    case 4:
      a = async([a] { return a; }).get();
      break;
    case 5:
      b = this_task::on_fresh_stack([b] { return b; });
      break;
    default:
      break;
    }
    if (n.throws) throw failed_node("node");
    return mix(a, b) | 1;
  }

  const std::vector<node>& m_program;
  std::vector<shared_future<value>> m_result;
  mutex m_mutex;
  long m_locked = 0;
};

void run_seed(std::uint64_t seed) {
  const auto program = random_program(seed, 300);
  const auto expected = evaluate_serially(program);
  detail::seed_chaos(seed);
  runtime rt({.workers = 1 + static_cast<unsigned>(seed % 6), .pools = "side:1"});
  const testing::changing_concurrency changing(rt, seed / 6);
  const auto check = [&] {
    machine m(program);
    for (std::size_t i = program.size(); i-- > 0;) {
      try {
        const value got = m.result(i).get();
        ASSERT_EQ(got, expected[i]) << "node " << i << "; replay with TREADLE_STRESS_SEED=" << seed;
      } catch (const failed_node&) {
        ASSERT_EQ(expected[i], 0u) << "node " << i << "; replay with TREADLE_STRESS_SEED=" << seed;
      }
    }
    rt.wait_idle(); // the machine must outlive its tasks
  };
  if (seed % 2 == 0) {
    check();
  } else { // from inside a task; waits for the others by itself
    machine m(program);
    async([&] {
      for (std::size_t i = 0; i < program.size(); ++i) {
        const auto f = m.result(i);
        f.wait();
        if (f.has_exception())
          EXPECT_EQ(expected[i], 0u) << "TREADLE_STRESS_SEED=" << seed;
        else
          EXPECT_EQ(f.get(), expected[i]) << "TREADLE_STRESS_SEED=" << seed;
      }
    }).get();
    rt.wait_idle();
  }
  EXPECT_LT(rt.statistics().stacks, 400u);
}

TEST(graph_stress, random_programs_agree_with_serial_evaluation) { testing::run_seeds(300, run_seed); }

} // namespace
} // namespace treadle
