#include "model/check/source.hpp"

#include <fstream>
#include <map>
#include <vector>

namespace treadle::check {

const std::string& source_line(const std::string& file, unsigned line) {
  static std::map<std::string, std::vector<std::string>> files;
  static const std::string none;
  auto [place, is_new] = files.try_emplace(file);
  if (is_new) {
    std::ifstream in(file);
    for (std::string text; std::getline(in, text);) {
      text.erase(0, text.find_first_not_of(' '));
      place->second.push_back(text);
    }
  }
  return line >= 1 && line <= place->second.size() ? place->second[line - 1] : none;
}

std::string short_name(const std::string& file) {
  for (const char* folder : {"/include/", "/src/", "/tests/"}) {
    if (const auto at = file.rfind(folder); at != std::string::npos) return file.substr(at + 1);
  }
  return file;
}

} // namespace treadle::check
