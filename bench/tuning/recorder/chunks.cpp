// Iterations that are never split: half octaves, from 1 to all.
#include "tuning/recorder/recording.hpp"

#include "loops/config.hpp"

#include <treadle/algorithm.hpp>
#include <treadle/treadle.hpp>

#include <bit>
#include <memory>

namespace recorder {
namespace {

/// Some times over the same n iterations.
struct loop {
  std::uint64_t n;
  int times;
  std::function<double(std::uint64_t)> body;
};

program chunks(std::string name, bool held_out, std::vector<loop> situations) {
  const auto points = 2 * static_cast<std::uint32_t>(std::bit_width(situations[0].n)) - 1;
  program result{.name = std::move(name), .kind = "chunks", .dimensions = {{points}}, .held_out = held_out};
  result.starts.assign(situations.size(), points / 2);
  result.run = [situations = std::move(situations)](unsigned situation, std::uint32_t point) {
    const loop& l = situations[situation];
    const treadle::dynamic_chunk_size chunk{half_octaves(point)};
    return treadle::async([&] {
             return microseconds([&] {
               for (int i = 0; i < l.times; ++i)
                 treadle::for_loop(treadle::par.with(chunk), std::uint64_t{0}, l.n,
                                   [&](std::uint64_t at) { l.body(at); });
             });
           })
        .get();
  };
  return result;
}

} // namespace

std::vector<program> chunk_programs() {
  const auto data = std::make_shared<loops_bench::arrays>(1 << 16);
  const auto saxpy = [data](std::uint64_t i) { return data->y[i] += 0.5 * data->x[i]; };
  const auto heavy = [data](std::uint64_t i) { return data->z[i] = loops_bench::heavy(data->x[i], data->x[i] + 1); };
  const auto growing = [data](std::uint64_t i) { return data->z[i] = work(i / 256); };
  const auto few_long = [data](std::uint64_t i) { return data->z[i] = work(i % 64 == 0 ? 20'000 : 20); };
  const auto falling = [data](std::uint64_t i) { return data->z[i] = work(2 * (1024 - i)); };
  const auto even = [data](std::uint64_t i) { return data->z[i] = work(300 + i % 2); };
  const auto rows = [data](std::uint64_t columns) {
    return [data, columns](std::uint64_t i) {
      double sum = 0;
      for (std::uint64_t j = 0; j < columns; ++j) sum += data->x[(i * columns + j) % (1 << 16)] * data->x[j];
      return data->z[i] = sum;
    };
  };
  return {
      chunks("chunk_bodies", false, {{1 << 14, 40, saxpy}, {1 << 14, 8, heavy}, {1 << 14, 2, growing}}),
      chunks("chunk_uneven", false, {{1 << 10, 2, falling}, {1 << 10, 5, few_long}, {1 << 10, 6, even}}),
      chunks("chunk_rows", true, {{1 << 9, 30, rows(100)}, {1 << 9, 4, rows(2000)}, {1 << 9, 200, rows(10)}}),
  };
}

} // namespace recorder
