// What is recorded: programs that do the same work with one choice after the other.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace recorder {

struct dimension {
  std::uint32_t size;
  bool ordered = true;
};

/// Some milliseconds of a program, in several situations: other input, other work per task.
struct program {
  std::string name;                  ///< of the file
  std::string kind;                  ///< of the decision: inlining, chunks, grain, splitting, session
  std::vector<dimension> dimensions; ///< the first varies fastest in the number of a point
  bool held_out = false;             ///< never looked at to choose a constant
  /// For each situation, where the runtime begins without having tried anything: by its model of what a task costs, or
  /// where a session begins.
  std::vector<std::uint32_t> starts = {};
  /// Microseconds that the work takes with this choice.
  std::function<double(unsigned situation, std::uint32_t point)> run = {};
};

std::vector<program> inlining_programs();
std::vector<program> chunk_programs();
std::vector<program> grain_programs(const std::string& stencil);     ///< the path of the program `stencil`
std::vector<program> splitting_programs(const std::string& sources); ///< the folder of the PhySL programs
std::vector<program> session_programs();

template <class F>
double microseconds(F&& f) {
  const auto start = std::chrono::steady_clock::now();
  f();
  return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count();
}

/// About a nanosecond a turn, each of which waits for the one before.
inline double work(std::uint64_t turns) {
  double x = 1;
  for (std::uint64_t i = 0; i < turns; ++i) x = x * 0.999 + 0.5;
  return x;
}

/// What the compiler must not leave out.
inline volatile double sink;

/// 2^(point / 2)
inline std::uint64_t half_octaves(std::uint32_t point) {
  return point % 2 == 0 ? std::uint64_t{1} << point / 2 : (std::uint64_t{181} << point / 2) / 128;
}

} // namespace recorder
