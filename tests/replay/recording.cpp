#include "replay/recording.hpp"

#include <algorithm>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace treadle::replay {
namespace {

std::vector<std::string> fields_of(const std::string& line) {
  std::istringstream text(line);
  std::vector<std::string> fields;
  for (std::string field; std::getline(text, field, ',');) fields.push_back(field);
  return fields;
}

/// One interruption in a hundred rounds, which might have met any choice, must not decide which one looks best.
double usual(std::vector<double> samples) {
  constexpr double k_most = 4; // medians
  const auto middle = samples.begin() + static_cast<std::ptrdiff_t>(samples.size() / 2);
  std::nth_element(samples.begin(), middle, samples.end());
  const double most = k_most * *middle;
  double sum = 0;
  for (const double ns : samples) sum += std::min(ns, most);
  return sum / static_cast<double>(samples.size());
}

} // namespace

recording load(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  const auto head = fields_of(line);
  if (head.size() < 4) throw std::runtime_error("no recording in " + path.string());
  recording result{.name = path.stem().string(), .kind = head[0], .held_out = head[1] == "held out"};
  std::istringstream sizes(head[2]);
  for (std::string size; sizes >> size;)
    result.dimensions.push_back({static_cast<std::uint32_t>(std::stoul(size)), size.back() != 'u'});
  for (std::size_t i = 3; i < head.size(); ++i) result.starts.push_back(std::stoul(head[i]));
  result.samples.resize(result.starts.size() + 1);
  while (std::getline(file, line)) {
    const auto fields = fields_of(line);
    auto& points = result.samples.at(std::stoul(fields.at(0)));
    points.emplace_back();
    for (std::size_t i = 2; i < fields.size(); ++i) points.back().push_back(std::stod(fields[i]) * 1e3);
  }
  for (const auto& points : result.samples) {
    auto& means = result.means.emplace_back();
    for (const auto& samples : points) means.push_back(usual(samples));
    if (means.size() != tune::space(result.dimensions).size() || points.back().size() != result.rounds())
      throw std::runtime_error("half a recording in " + path.string());
  }
  return result;
}

std::vector<recording> load_all(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    if (entry.path().extension() == ".csv") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  std::vector<recording> result;
  for (const auto& file : files) result.push_back(load(file));
  return result;
}

} // namespace treadle::replay
