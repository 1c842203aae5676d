// What both programs say and are told.
#pragma once

#include "common/arguments.hpp"
#include "seismic/wave.hpp"

#include <CLI/CLI.hpp>
#include <cstdio>
#include <stdexcept>
#include <string>

namespace seismic {

struct settings {
  plane of;
  bool verify = false;
  bool json = false;

  void add_to(CLI::App& app) {
    app.option_defaults()->always_capture_default();
    apps::add_number(app, "--tiles", of.tiles, 1, 4096, "tiles along each edge of the plane");
    apps::add_number(app, "--side", of.side, 1, 1 << 15, "points along each edge of a tile");
    apps::add_number(app, "--steps", of.steps, 1, 1u << 30, "time steps");
    apps::add_number(app, "--work", of.work, 0, 1 << 20,
                     "refinements of the speed of sound at each point: the cost of a task");
    app.add_flag("--verify", verify, "compare with the plane as one tile, bit by bit");
    app.add_flag("--json", json, "print one JSON object");
  }
  void check() const {
    const double points = static_cast<double>(of.count()) * static_cast<double>(of.numbers());
    apps::check_memory("--tiles " + std::to_string(of.tiles) + " --side " + std::to_string(of.side),
                       sizeof(double) * points * (verify ? 2 : 1));
  }
};

constexpr const char* k_about =
    R"(Sound in a plane, as many small tasks: each step of each tile waits for its neighbours only, so that there is
always work for all workers, and their number may change at any time.

A program like Seismic of "Adaptive scheduling of colocated applications using a task-based runtime system": run
several at once, with and without an agent (treadle agent), and see who gets how much.)";
constexpr const char* k_more = R"(
Example: 65,536 tasks of about a millisecond, and the same with tasks about nine times as long:
  seismic --work 40
  seismic --work 360
seismic_ocr is the same program written for OCR, with the same options.)";

/// Prints the result. Returns the exit code.
inline int say(const settings& s, const char* name, unsigned workers, double seconds, double sum) {
  const bool is_right = !s.verify || sum == serial_sum(s.of);
  const std::size_t tasks = s.of.count() * s.of.steps;
  if (s.json) {
    std::printf("{\"program\": \"%s\", \"tiles\": %zu, \"side\": %zu, \"steps\": %zu, \"work\": %zu, \"tasks\": %zu, "
                "\"workers\": %u, \"seconds\": %.6f, \"sum\": %.17g, \"verified\": %s}\n",
                name, s.of.tiles, s.of.side, s.of.steps, s.of.work, tasks, workers, seconds, sum,
                !s.verify  ? "null"
                : is_right ? "true"
                           : "false");
  } else {
    std::printf("%s: %zu x %zu tiles of %zu x %zu points, %zu steps; workers: %u\n", name, s.of.tiles, s.of.tiles,
                s.of.side, s.of.side, s.of.steps, workers);
    std::printf("%.6f s, %zu tasks of %.3f ms\n", seconds, tasks, 1e3 * seconds * workers / static_cast<double>(tasks));
    if (s.verify) std::puts(is_right ? "verified: equal to the serial run, bit by bit" : "WRONG: not the serial run's");
  }
  return is_right ? 0 : 1;
}

} // namespace seismic
