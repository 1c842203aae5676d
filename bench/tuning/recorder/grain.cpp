// Points per task of apps/stencil: half octaves. The program runs as a process of its own and says what its steps took.
#include "tuning/recorder/recording.hpp"

#include <treadle/observe/machine.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <stdexcept>

namespace recorder {
namespace {

constexpr double k_smallest = 1024;

double run_stencil(const std::string& program, const std::string& arguments) {
  std::FILE* const out = popen((program + " --json " + arguments).c_str(), "r");
  std::array<char, 4096> text{};
  const auto read = out ? std::fread(text.data(), 1, text.size() - 1, out) : 0;
  const std::string said(text.data(), read);
  const auto found = said.find("\"seconds\": ");
  if (!out || pclose(out) != 0 || found == std::string::npos) throw std::runtime_error("cannot run " + program);
  return std::stod(said.substr(found + 11)) * 1e6;
}

/// What fits half of a core's second cache, as the program begins.
std::uint32_t start(double points) {
  const auto bytes = static_cast<double>(std::max<std::size_t>(treadle::describe_machine().l2_bytes, 1 << 18));
  return static_cast<std::uint32_t>(
      std::lround(2 * std::log2(std::clamp(bytes / 32, k_smallest, points) / k_smallest)));
}

program grain(std::string name, bool held_out, const std::string& stencil, std::vector<std::string> situations) {
  constexpr std::uint32_t k_points = 20; // 1024 to 741 455
  program result{.name = std::move(name), .kind = "grain", .dimensions = {{k_points}}, .held_out = held_out};
  result.starts.assign(situations.size(), start(1e6));
  result.run = [stencil, situations = std::move(situations)](unsigned situation, std::uint32_t point) {
    const auto partition = static_cast<std::uint64_t>(k_smallest) * half_octaves(point + 20) / half_octaves(20);
    return run_stencil(stencil, situations[situation] + " --partition " + std::to_string(partition));
  };
  return result;
}

} // namespace

std::vector<program> grain_programs(const std::string& stencil) {
  return {
      grain("stencil_best", false, stencil,
            {"--kernel best --points 1000000 --steps 50 --tile-steps 50",
             "--kernel best --points 1000000 --steps 20 --tile-steps 5",
             "--kernel best --points 4000000 --steps 20 --tile-steps 20"}),
      grain("stencil_faithful", false, stencil,
            {"--kernel faithful --points 1000000 --steps 20 --warm-up 10",
             "--kernel faithful --points 4000000 --steps 10 --warm-up 5",
             "--kernel faithful --points 300000 --steps 40 --warm-up 10"}),
      grain("stencil_loop", true, stencil,
            {"--kernel loop --points 1000000 --steps 20", "--kernel loop --points 4000000 --steps 8",
             "--kernel loop --points 200000 --steps 60"}),
  };
}

} // namespace recorder
