// From how many microseconds on parts of the programs in apps/physl become tasks: the thresholds that the runtime has
// to choose from, but for those that split the same as the one before.
#include "tuning/recorder/recording.hpp"

#include <treadle/arrays/physl.hpp>
#include <treadle/treadle.hpp>

#include <fstream>
#include <random>
#include <sstream>
#include <stdexcept>

namespace recorder {
namespace {

using treadle::value;

/// 19 times what a part costs, which is where the runtime begins; 8 and 64 times that; never.
constexpr std::uint64_t k_thresholds_ns[] = {19'000, 8 * 19'000, 64 * 19'000, 1'000'000'000};

value random_matrix(std::int64_t rows, std::int64_t columns, unsigned seed) {
  auto result = treadle::array::uninitialized(treadle::dtype::float64, {rows, columns});
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> number(0.1, 1);
  auto* x = result.mutable_data<double>();
  for (std::int64_t i = 0; i < rows * columns; ++i) x[i] = number(random);
  return result;
}

value random_row(std::int64_t count, unsigned seed) {
  return random_matrix(1, count, seed).to_array().reshape({count});
}

value random_bits(std::int64_t count, unsigned seed) {
  auto result = treadle::array::uninitialized(treadle::dtype::float64, {count});
  std::mt19937 random(seed);
  auto* x = result.mutable_data<double>();
  for (std::int64_t i = 0; i < count; ++i) x[i] = static_cast<double>(random() % 2);
  return result;
}

using arguments = std::vector<value>;

arguments als(std::int64_t users, std::int64_t items, std::int64_t iterations) {
  return {random_matrix(users, items, 1), value(0.1), value(iterations), value(40.0), random_matrix(users, 8, 2),
          random_matrix(items, 8, 3)};
}
arguments kmeans(std::int64_t points, std::int64_t centroids, std::int64_t iterations) {
  return {random_matrix(points, 8, 4), random_matrix(centroids, 8, 5), value(iterations)};
}
arguments regression(std::int64_t samples, std::int64_t features, std::int64_t iterations) {
  return {random_matrix(samples, features, 6), random_bits(samples, 7), value(1e-3), value(iterations)};
}

arguments smoother(std::int64_t points) { return {random_row(points, 8), random_row(points, 9), value(0.05)}; }

double run(const treadle::physl::program& program, const arguments& with, std::uint64_t worth_ns) {
  const treadle::physl::run_options options{.worth_ns = worth_ns};
  return treadle::async([&] { return microseconds([&] { program.run(with, options); }); }).get();
}

std::uint64_t spawned(const treadle::physl::program& program, const arguments& with, std::uint64_t worth_ns) {
  program.reset_profile();
  run(program, with, worth_ns);
  std::uint64_t sum = 0;
  for (const auto& node : program.profile()) sum += node.spawned;
  return sum;
}

program splitting(const std::string& sources, const std::string& source, bool held_out,
                  std::vector<arguments> situations) {
  std::ifstream file(sources + "/" + source + ".physl");
  std::ostringstream text;
  text << file.rdbuf();
  const treadle::physl::program compiled(text.str(), source + ".physl");
  std::vector<std::uint64_t> levels;
  std::vector<std::uint64_t> before;
  for (const std::uint64_t ns : k_thresholds_ns) {
    std::vector<std::uint64_t> now;
    for (const auto& with : situations) now.push_back(spawned(compiled, with, ns) / 4); // about
    if (now != before) levels.push_back(ns);
    before = now;
  }
  program result{.name = "split_" + source,
                 .kind = "splitting",
                 .dimensions = {{static_cast<std::uint32_t>(levels.size())}},
                 .held_out = held_out};
  result.starts.assign(situations.size(), 0);
  result.run = [=](unsigned situation, std::uint32_t point) {
    return run(compiled, situations[situation], levels[point]);
  };
  return result;
}

} // namespace

std::vector<program> splitting_programs(const std::string& sources) {
  return {
      splitting(sources, "als_rows", false, {als(40, 30, 2), als(100, 60, 1), als(10, 6, 12)}),
      splitting(sources, "als", false, {als(40, 30, 2), als(100, 60, 1), als(10, 6, 12)}),
      splitting(sources, "kmeans", false, {kmeans(1000, 8, 4), kmeans(10'000, 4, 1), kmeans(100, 8, 20)}),
      splitting(sources, "lra", true, {regression(500, 50, 40), regression(5000, 80, 4), regression(60, 10, 200)}),
      splitting(sources, "smooth", true, {smoother(300), smoother(1000), smoother(100)}),
  };
}

} // namespace recorder
