// What choices cost in a program, as bench_record_surfaces has left it.
#pragma once

#include "search/space.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace treadle::replay {

using tune::arm;

struct recording {
  std::string name, kind;
  bool held_out = false; ///< never looked at to choose a constant
  std::vector<tune::dimension> dimensions = {};
  std::vector<arm> starts = {}; ///< for each situation, where the runtime begins without having tried anything
  /// Nanoseconds, by situation, point and round; the last situation is the first one on a disturbed machine.
  std::vector<std::vector<std::vector<double>>> samples = {};
  std::vector<std::vector<double>> means = {}; ///< by situation and point: what they cost without luck

  std::size_t rounds() const noexcept { return samples.front().front().size(); }
  arm points() const noexcept { return means.front().size(); }
  std::size_t disturbed() const noexcept { return samples.size() - 1; }
};

/// Throws std::runtime_error when that is no recording.
recording load(const std::filesystem::path& file);
/// All of a folder, by name.
std::vector<recording> load_all(const std::filesystem::path& folder);

} // namespace treadle::replay
