// The heat equation on a ring that is spread over localities.
#include "common/arguments.hpp"
#include "common/localities_run.hpp"
#include "distributed_stencil/ring_block.hpp"
#include "stencil/plain.hpp"

#include <treadle/runtime.hpp>

#include <algorithm>

namespace {

struct arguments {
  std::size_t points = 4'000'000;
  std::size_t steps = 200;
  std::size_t tile = 20'000;
  std::size_t height = 20;
  bool check = false;
  bool json = false;
};

constexpr const char* k_about = R"(The heat equation on a ring of points that is spread over localities.
Each has a block, in tiles that are tasks, and sends what is at its edges to its neighbours' channels.

  treadle run -n 2 -- distributed_stencil --points 4000000 --steps 200 --check
  treadle run -n 4 -- distributed_stencil --height 1 --json)";

/// Of this block, with a ring that one thread has advanced.
bool is_as_serial(const distributed_stencil::ring_block& block, const arguments& a) {
  stencil::plain_ring whole(a.points);
  whole.run_steps(a.steps);
  const auto mine = block.values(), theirs = whole.values().subspan(block.begin(), mine.size());
  return std::equal(mine.begin(), mine.end(), theirs.begin());
}

int run(int argc, char** argv) {
  auto options = treadle::runtime_options::from_arguments(argc, argv);
  arguments a;
  CLI::App app(k_about, "distributed_stencil");
  app.option_defaults()->always_capture_default();
  constexpr std::size_t k_most = 1'000'000'000'000;
  apps::add_number(app, "--points", a.points, stencil::k_line, k_most, "of the ring, a multiple of 8");
  apps::add_number(app, "--steps", a.steps, 0, k_most, "in time");
  apps::add_number(app, "--tile", a.tile, 1, k_most, "points of a task");
  apps::add_number(app, "--height", a.height, 1, 1'000'000, "steps between two exchanges of edges");
  app.add_flag("--check", a.check, "compare with the same by one thread, bit by bit");
  app.add_flag("--json", a.json, "print one JSON object");
  if (const auto said = apps::parse(app, argc, argv)) return *said;
  treadle::runtime runtime(options);
  const treadle::localities here;
  treadle::communicator all("distributed_stencil");
  const auto blocks = distributed_stencil::blocks_of(a.points, all.size(), a.height); // refuses alike everywhere
  apps::check_memory("--points " + std::to_string(a.points),
                     2.0 * sizeof(double) * static_cast<double>(a.check ? 2 * a.points : blocks.largest()));
  apps::phases measured(all, "channel_home");
  const bool is_right = apps::run_together("distributed_stencil", [&] {
    distributed_stencil::ring_block block(all, blocks, a.tile, a.height);
    measured.begin();
    block.run_steps(a.steps);
    measured.end();
    return apps::all_are(all, !a.check || is_as_serial(block, a));
  });
  const std::string points = std::to_string(a.points), steps = std::to_string(a.steps);
  return apps::report(all, measured, a.json, "\"points\": " + points + ", \"steps\": " + steps,
                      points + " points, " + steps + " steps", {is_right, a.check});
}

} // namespace

int main(int argc, char** argv) { return apps::run_program("distributed_stencil", argc, argv, run); }
