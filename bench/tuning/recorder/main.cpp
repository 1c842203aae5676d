// Records what combinations of values cost in three situations of a program, for bench/tuning to replay: writes
// FOLDER/grain.csv (16 points: iterations per task) and FOLDER/blocks.csv (8 x 8 points: block sizes of a sum
// of matrices that lie by rows or by columns). All points of a situation are measured in turn, again and again, so that
// the noise of the machine is in all.
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

/// How the elements of a matrix lie.
struct strides {
  std::size_t row, column;
};

/// c += a, block by block.
void add(std::vector<double>& c, strides in_c, const std::vector<double>& a, strides in_a, std::size_t rows,
         std::size_t columns, std::size_t block_rows, std::size_t block_columns) {
  for (std::size_t i0 = 0; i0 < rows; i0 += block_rows) {
    for (std::size_t j0 = 0; j0 < columns; j0 += block_columns) {
      for (std::size_t i = i0; i < std::min(i0 + block_rows, rows); ++i) {
        for (std::size_t j = j0; j < std::min(j0 + block_columns, columns); ++j)
          c[i * in_c.row + j * in_c.column] += a[i * in_a.row + j * in_a.column];
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
  constexpr std::size_t k_side = 512;
  std::vector<double> a(k_side * k_side, 1), c(k_side * k_side);
  record(folder + "/blocks.csv", 3, 64, 30, [&](unsigned situation, unsigned point) {
    constexpr strides k_by_row{k_side, 1}, k_by_column{1, k_side};
    const std::size_t block_rows = std::size_t{2} << point % 8, block_columns = std::size_t{2} << point / 8;
    add(c, situation == 2 ? k_by_column : k_by_row, a, situation == 1 ? k_by_row : k_by_column, k_side, k_side,
        block_rows, block_columns);
    g_sink = c[k_side];
  });
}
