// A call inline (point 1) or as a task (point 0), at one place of a program.
#include "tuning/recorder/recording.hpp"

#include "integrate/config.hpp"
#include "nqueens/config.hpp"

#include <treadle/treadle.hpp>
#include <treadle/tune/explain.hpp>
#include <treadle/tune/inlining.hpp>

#include <array>
#include <bit>
#include <cmath>
#include <sstream>

namespace recorder {
namespace {

using treadle::launch;

/// A thousand tasks of one length, made by one and waited for by it.
void flat(launch how, int tasks, std::uint64_t turns) {
  std::vector<treadle::future<double>> results;
  results.reserve(static_cast<std::size_t>(tasks));
  for (int i = 0; i < tasks; ++i) results.push_back(treadle::async(how, [turns] { return work(turns); }));
  double sum = 0;
  for (auto& one : results) sum += one.get();
  sink = sum;
}

/// A task in each call above `leaf`.
long fib(launch how, int n, int leaf) {
  if (n < 2) return n;
  if (n <= leaf) return fib(how, n - 1, leaf) + fib(how, n - 2, leaf);
  auto left = treadle::async(how, [=] { return fib(how, n - 1, leaf); });
  const long right = fib(how, n - 2, leaf);
  return left.get() + right;
}

/// A task for each queen in the first `rows`.
long solutions(launch how, nqueens_bench::board b, int rows) {
  if (b.full()) return 1;
  std::array<treadle::future<long>, 32> others;
  std::size_t count = 0;
  long sum = 0;
  for (unsigned free = b.free(); free != 0; free &= free - 1) {
    const auto next = b.with(nqueens_bench::first_of(free));
    if (rows <= 0)
      sum += solutions(how, next, 0);
    else
      others[count++] = treadle::async(how, [=] { return solutions(how, next, rows - 1); });
  }
  for (std::size_t i = 0; i < count; ++i) sum += others[i].get();
  return sum;
}

/// A task for the left half of each interval in the first `levels`.
double integrate(launch how, const integrate_bench::interval& whole, double area, int levels) {
  const auto left = whole.left(), right = whole.right();
  const double area_left = left.area(), area_right = right.area();
  if (std::abs(area_left + area_right - area) < 1e-6) return area_left + area_right;
  if (levels <= 0) return integrate(how, left, area_left, 0) + integrate(how, right, area_right, 0);
  auto first = treadle::async(how, [=] { return integrate(how, left, area_left, levels - 1); });
  const double second = integrate(how, right, area_right, levels - 1);
  return first.get() + second;
}

/// Inline or not by what the tasks were measured to take, as decide::judge has it. Its reason says what was measured:
/// "neither short nor long: 500 ns, and a task costs 25 ns: …".
std::uint32_t suggestion(const std::function<void(launch)>& run) {
  treadle::use_inlining_policy(treadle::inlining_policy::adaptive); // forgets
  for (int i = 0; i < 20; ++i) run(launch::adaptive);
  for (const auto& report : treadle::explain()) {
    if (report.kind != "inlining" || !report.present) continue;
    const auto costs = report.why.find(": "), task = report.why.find("a task costs ");
    if (task == std::string::npos) continue; // of another place, which has been forgotten
    return std::stod(report.why.substr(costs + 2)) < 19 * std::stod(report.why.substr(task + 13)) ? 1 : 0;
  }
  return 1;
}

program inlining(std::string name, bool held_out, std::vector<std::function<void(launch)>> situations) {
  program result{.name = std::move(name), .kind = "inlining", .dimensions = {{2, false}}, .held_out = held_out};
  for (const auto& run : situations) treadle::async([&] { result.starts.push_back(suggestion(run)); }).get();
  result.run = [situations = std::move(situations)](unsigned situation, std::uint32_t point) {
    const launch how = point == 1 ? launch::sync : launch::async;
    return treadle::async([&] { return microseconds([&] { situations[situation](how); }); }).get();
  };
  return result;
}

} // namespace

std::vector<program> inlining_programs() {
  const auto flat_of = [](int tasks, std::uint64_t turns) { return [=](launch how) { flat(how, tasks, turns); }; };
  const auto fib_of = [](int n, int leaf) {
    return [=](launch how) { sink = static_cast<double>(fib(how, n, leaf)); };
  };
  const auto queens_of = [](unsigned n, int rows) {
    return [=](launch how) { sink = static_cast<double>(solutions(how, nqueens_bench::board{(1U << n) - 1}, rows)); };
  };
  const auto integral_of = [](double end, int levels) {
    return [=](launch how) {
      const integrate_bench::interval whole{0, integrate_bench::f(0), end, integrate_bench::f(end)};
      sink = integrate(how, whole, whole.area(), levels);
    };
  };
  return {
      inlining("inline_flat", false, {flat_of(8000, 200), flat_of(500, 8000), flat_of(3000, 700)}),
      inlining("inline_fib", false, {fib_of(27, 8), fib_of(27, 3), fib_of(27, 14)}),
      inlining("inline_queens", false, {queens_of(10, 4), queens_of(10, 7), queens_of(10, 1)}),
      inlining("inline_integrate", true, {integral_of(100, 10), integral_of(100, 18), integral_of(100, 4)}),
  };
}

} // namespace recorder
