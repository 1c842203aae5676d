#include "predict/programs.hpp"

#include "base/rng.hpp"
#include "cholesky/blas.hpp"
#include "cholesky/factorise.hpp"
#include "cholesky/problem.hpp"
#include "merge_sort/merge_sort.hpp"
#include "stencil/heat_ring.hpp"

#include <treadle/algorithm/for_loop.hpp>
#include <treadle/arrays/physl.hpp>
#include <treadle/parallel_invoke.hpp>
#include <treadle/treadle.hpp>

#include <cstdint>
#include <fstream>
#include <memory>
#include <sstream>
#include <utility>

namespace predicted_programs {
namespace {

/// Work of about this many ns that touches no memory.
long spin(long ns) {
  std::uint64_t x = static_cast<std::uint64_t>(ns) | 1;
  for (long i = 0; i < ns; ++i) {
    x = x * 6364136223846793005u + 1442695040888963407u;
    asm volatile("" : "+r"(x));
  }
  return static_cast<long>(x >> 60);
}

long serial_fib(int n) { return n < 2 ? n : serial_fib(n - 1) + serial_fib(n - 2); }
long fib(int n, int cutoff) {
  if (n < cutoff) return serial_fib(n);
  auto other = treadle::async([=] { return fib(n - 1, cutoff); });
  const long mine = fib(n - 2, cutoff);
  return mine + other.get();
}

long forked_fib(int n, int cutoff) {
  if (n < cutoff) return serial_fib(n);
  long a = 0, b = 0;
  treadle::parallel_invoke([&] { a = forked_fib(n - 1, cutoff); }, [&] { b = forked_fib(n - 2, cutoff); });
  return a + b;
}

void loop(int n, long ns) {
  treadle::for_loop(treadle::par, 0, n, [ns](int) { spin(ns); });
}

void stencil_of_futures(std::size_t width, int steps, long ns) {
  std::vector<treadle::shared_future<long>> row(width);
  for (auto& cell : row) cell = treadle::async([ns] { return spin(ns); }).share();
  for (int step = 1; step < steps; ++step) {
    std::vector<treadle::shared_future<long>> next(width);
    for (std::size_t i = 0; i < width; ++i)
      next[i] = treadle::dataflow([ns](const auto&, const auto&, const auto&) { return spin(ns); },
                                  row[(i + width - 1) % width], row[i], row[(i + 1) % width])
                    .share();
    row = std::move(next);
  }
  for (auto& cell : row) cell.wait();
}

/// A random graph of tasks with 1 to 100 times the time of the shortest.
void random_graph(std::uint64_t seed, int count, long ns) {
  treadle::detail::xorshift random(seed);
  std::vector<treadle::shared_future<long>> all;
  for (int i = 0; i < count; ++i) {
    const long own = ns * (1 + random.below(100));
    std::vector<treadle::shared_future<long>> inputs;
    for (int k = 0; i > 0 && k < 3; ++k) {
      const auto reach = static_cast<std::uint32_t>(std::min(i, 30));
      if (random.below(3) != 0) inputs.push_back(all[static_cast<std::size_t>(i) - 1 - random.below(reach)]);
    }
    all.push_back(treadle::dataflow([own](const auto&) { return spin(own); }, std::move(inputs)).share());
  }
  for (auto& one : all) one.wait();
}

/// The program of apps/physl with a random rating of each user for every fourth item.
program als(const char* file, int users, int items, int factors, int iterations) {
  treadle::detail::xorshift random(7);
  const auto matrix = [&](int rows, int columns, auto element) {
    std::string text = "[";
    for (int r = 0; r < rows; ++r) {
      text += r == 0 ? "[" : ", [";
      for (int c = 0; c < columns; ++c) text += (c == 0 ? "" : ", ") + std::to_string(element());
      text += "]";
    }
    return treadle::physl::program(text + "]", "matrix").run({}, {});
  };
  const auto rating = [&] { return random.below(4) == 0 ? 1.0 + random.below(5) : 0.0; };
  const auto start = [&] { return 0.01 * (1 + random.below(100)); };
  std::stringstream text;
  text << std::ifstream(std::string(APPS) + "/physl/" + file).rdbuf();
  const auto compiled = std::make_shared<treadle::physl::program>(text.str(), file);
  const auto number = [](double x) { return treadle::value(x); };
  const std::vector<treadle::value> arguments{matrix(users, items, rating),
                                              number(0.1),
                                              treadle::value(std::int64_t{iterations}),
                                              number(40),
                                              matrix(users, factors, start),
                                              matrix(items, factors, start)};
  return {std::string(file) + ' ' + std::to_string(users) + " x " + std::to_string(items),
          [=] { static_cast<void>(compiled->run(arguments, {})); }};
}

program factorisation(std::size_t n, std::size_t tile) {
  cholesky::use_blas_threads(1);
  const auto original = std::make_shared<cholesky::tiled_matrix>(cholesky::random_matrix(cholesky::tiling(n, tile), 1));
  const auto factor = std::make_shared<cholesky::tiled_matrix>(*original);
  return {"Cholesky " + std::to_string(n) + ", tiles of " + std::to_string(tile), [=] {
            *factor = *original; // in one task, a part of the program
            cholesky::factorise(*factor);
          }};
}

program sorting(std::size_t n, std::size_t cut_off) {
  treadle::detail::xorshift random(3);
  std::vector<int> numbers(n);
  for (int& one : numbers) one = static_cast<int>(random.below(1'000'000));
  return {"merge sort " + std::to_string(n) + ", cut-off " + std::to_string(cut_off), [numbers, cut_off] {
            merge_sort::settings how;
            how.cut_off = cut_off;
            static_cast<void>(merge_sort::sort(numbers, how));
          }};
}

program heat(std::size_t points, std::size_t steps, stencil::grain grain) {
  const auto ring = std::make_shared<stencil::heat_ring>(points);
  return {"heat ring " + std::to_string(points / grain.points) + " x " + std::to_string(grain.points),
          [=] { ring->run_steps(steps, grain); }};
}

} // namespace

std::vector<program> all() {
  return {{"fib(30), cut-off 20", [] { fib(30, 20); }},
          {"fib(28), cut-off 10", [] { fib(28, 10); }},
          {"fib(28) by forks, cut-off 12", [] { forked_fib(28, 12); }},
          {"loop of 1000, 1 us", [] { loop(1000, 1'000); }},
          {"stencil 8 x 40, 10 us", [] { stencil_of_futures(8, 40, 10'000); }},
          {"stencil 32 x 60, 1 us", [] { stencil_of_futures(32, 60, 1'000); }},
          {"random graph 300, 0.1 to 10 us", [] { random_graph(1, 300, 100); }},
          {"random graph 60, 1 to 100 us", [] { random_graph(2, 60, 1000); }},
          factorisation(512, 64),
          factorisation(1024, 128),
          sorting(100'000, 128),
          sorting(10'000, 16),
          heat(1'000'000, 20, {16'000, 4}),
          als("als.physl", 60, 40, 10, 2),
          als("als_rows.physl", 60, 40, 10, 2)};
}

} // namespace predicted_programs
