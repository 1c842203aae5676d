// Records what combinations of values cost in three situations of a program, for bench/tuning to replay: writes
// FOLDER/grain.csv (16 points: iterations per task) and FOLDER/blocks.csv (8 x 8 points: block sizes of a transposed
// sum). All points of a situation are measured in turn, again and again, so that the noise of the machine is in all.
#include <treadle/task_group.hpp>
#include <treadle/treadle.hpp>

#include <chrono>
#include <cstdio>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

namespace {

double microseconds(const std::function<void()>& f) {
  const auto start = std::chrono::steady_clock::now();
  f();
  return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count();
}

volatile double g_sink;

void work(unsigned turns) {
  double x = 1;
  for (unsigned i = 0; i < turns; ++i) x = x * 0.999 + 0.5;
  g_sink = x;
}

/// `count` iterations, each as long as `turns` says, in tasks of `grain`.
void run_tasks(unsigned count, unsigned grain, const std::function<unsigned(unsigned)>& turns) {
  treadle::task_group group;
  for (unsigned begin = 0; begin < count; begin += grain) {
    group.run([=, &turns] {
      for (unsigned i = begin; i < std::min(begin + grain, count); ++i) work(turns(i));
    });
  }
  group.wait();
}

/// The sum of a and b transposed, block by block.
void add_transposed(std::vector<double>& c, const std::vector<double>& a, const std::vector<double>& b,
                    std::size_t rows, std::size_t columns, std::size_t block_rows, std::size_t block_columns) {
  for (std::size_t i0 = 0; i0 < rows; i0 += block_rows) {
    for (std::size_t j0 = 0; j0 < columns; j0 += block_columns) {
      for (std::size_t i = i0; i < std::min(i0 + block_rows, rows); ++i) {
        for (std::size_t j = j0; j < std::min(j0 + block_columns, columns); ++j)
          c[i * columns + j] = a[i * columns + j] + b[j * rows + i];
      }
    }
  }
}

/// One line for each situation and point: their numbers, then the samples in microseconds.
void record(const std::string& path, unsigned situations, unsigned points, unsigned samples,
            const std::function<void(unsigned situation, unsigned point)>& run) {
  std::ofstream file(path);
  for (unsigned s = 0; s < situations; ++s) {
    std::vector<std::string> lines(points);
    for (unsigned round = 0; round <= samples; ++round) {
      std::fprintf(stderr, "\r%s: situation %u of %u, round %u of %u ", path.c_str(), s + 1, situations, round,
                   samples);
      for (unsigned p = 0; p < points; ++p) {
        const double us = microseconds([&] { run(s, p); });
        char text[32];
        std::snprintf(text, sizeof text, ",%.0f", us);
        if (round > 0) lines[p] += text; // the first warms up
      }
    }
    for (unsigned p = 0; p < points; ++p) file << s << ',' << p << lines[p] << '\n';
  }
  std::fputc('\n', stderr);
}

} // namespace

int main(int argc, char** argv) {
  const std::string folder = argc > 1 ? argv[1] : ".";
  treadle::runtime runtime;
  record(folder + "/grain.csv", 3, 16, 60, [](unsigned situation, unsigned point) {
    const unsigned grain = 1u << point;
    if (situation == 0) run_tasks(32'768, grain, [](unsigned) { return 8u; });     // many short ones
    if (situation == 1) run_tasks(256, grain, [](unsigned) { return 2000u; });     // few long ones
    if (situation == 2) run_tasks(4096, grain, [](unsigned i) { return i / 16; }); // longer and longer
  });
  constexpr std::size_t k_size = 1 << 20;
  std::vector<double> a(k_size, 1), b(k_size, 2), c(k_size);
  record(folder + "/blocks.csv", 3, 64, 30, [&](unsigned situation, unsigned point) {
    const std::size_t shapes[3][2] = {{1024, 1024}, {65'536, 8}, {16, 4096}};
    const auto [rows, columns] = shapes[situation];
    add_transposed(c, a, b, rows, columns, std::size_t{2} << point % 8, std::size_t{2} << point / 8);
    g_sink = c[rows * columns / 2];
  });
}
