// What a program might ask a session: sizes of blocks, iterations per task, the order of loops.
#include "tuning/recorder/recording.hpp"

#include <treadle/task_group.hpp>
#include <treadle/treadle.hpp>

#include <algorithm>
#include <memory>

namespace recorder {
namespace {

/// `count` iterations, each as long as `turns` says, in tasks of `grain`.
void run_tasks(unsigned count, unsigned grain, const std::function<unsigned(unsigned)>& turns) {
  treadle::task_group group;
  for (unsigned begin = 0; begin < count; begin += grain) {
    group.run([=, &turns] {
      double sum = 0;
      for (unsigned i = begin; i < std::min(begin + grain, count); ++i) sum += work(turns(i));
      sink = sum;
    });
  }
  group.wait();
}

program tasks() {
  program result{.name = "session_tasks", .kind = "session", .dimensions = {{16}}, .starts = {8, 8, 8}};
  result.run = [](unsigned situation, std::uint32_t point) {
    const unsigned grain = 1u << point;
    return treadle::async([=] {
             return microseconds([=] {
               if (situation == 0) run_tasks(32'768, grain, [](unsigned) { return 20u; });    // many short ones
               if (situation == 1) run_tasks(512, grain, [](unsigned) { return 4000u; });     // few long ones
               if (situation == 2) run_tasks(8192, grain, [](unsigned i) { return i / 16; }); // longer and longer
             });
           })
        .get();
  };
  return result;
}

/// How the elements of a matrix lie.
struct strides {
  std::size_t row, column;
};

/// c += a, block by block.
void add(std::vector<double>& c, strides in_c, const std::vector<double>& a, strides in_a, std::size_t side,
         std::size_t block_rows, std::size_t block_columns) {
  for (std::size_t i0 = 0; i0 < side; i0 += block_rows) {
    for (std::size_t j0 = 0; j0 < side; j0 += block_columns) {
      for (std::size_t i = i0; i < std::min(i0 + block_rows, side); ++i) {
        for (std::size_t j = j0; j < std::min(j0 + block_columns, side); ++j)
          c[i * in_c.row + j * in_c.column] += a[i * in_a.row + j * in_a.column];
      }
    }
  }
}

program blocks() {
  constexpr std::size_t k_side = 512;
  struct matrices {
    std::vector<double> a = std::vector<double>(k_side * k_side, 1), c = std::vector<double>(k_side * k_side);
  };
  const auto m = std::make_shared<matrices>();
  program result{.name = "session_blocks", .kind = "session", .dimensions = {{8}, {8}}, .starts = {36, 36, 36}};
  result.run = [m](unsigned situation, std::uint32_t point) {
    constexpr strides k_by_row{k_side, 1}, k_by_column{1, k_side};
    const std::size_t block_rows = std::size_t{2} << point % 8, block_columns = std::size_t{2} << point / 8;
    return microseconds([&] {
      add(m->c, situation == 2 ? k_by_column : k_by_row, m->a, situation == 1 ? k_by_row : k_by_column, k_side,
          block_rows, block_columns);
    });
  };
  return result;
}

/// Products of small matrices: some rows in each task, which has its three loops in one of six orders.
program products() {
  constexpr std::size_t k_most = 160;
  struct matrices {
    std::vector<double> a = std::vector<double>(k_most * k_most, 1.5), b = a, c = a;
  };
  const auto m = std::make_shared<matrices>();
  program result{.name = "session_products",
                 .kind = "session",
                 .dimensions = {{6, false}, {7}},
                 .held_out = true,
                 .starts = {21, 21, 21}};
  result.run = [m](unsigned situation, std::uint32_t point) {
    static constexpr std::size_t k_sides[] = {96, 160, 48}, k_times[] = {2, 1, 16};
    static constexpr int k_orders[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    const std::size_t side = k_sides[situation], rows = std::size_t{1} << point / 6;
    const int* const order = k_orders[point % 6];
    const auto slice = [&](std::size_t begin) {
      const std::size_t first[3] = {begin, 0, 0}, last[3] = {std::min(begin + rows, side), side, side};
      std::size_t at[3];
      for (at[order[0]] = first[order[0]]; at[order[0]] < last[order[0]]; ++at[order[0]])
        for (at[order[1]] = first[order[1]]; at[order[1]] < last[order[1]]; ++at[order[1]])
          for (at[order[2]] = first[order[2]]; at[order[2]] < last[order[2]]; ++at[order[2]])
            m->c[at[0] * side + at[1]] += m->a[at[0] * side + at[2]] * m->b[at[2] * side + at[1]];
    };
    return treadle::async([&] {
             return microseconds([&] {
               for (std::size_t i = 0; i < k_times[situation]; ++i) {
                 treadle::task_group group;
                 for (std::size_t begin = 0; begin < side; begin += rows) group.run([&slice, begin] { slice(begin); });
                 group.wait();
               }
             });
           })
        .get();
  };
  return result;
}

} // namespace

std::vector<program> session_programs() { return {tasks(), blocks(), products()}; }

} // namespace recorder
