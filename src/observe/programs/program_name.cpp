#include "observe/programs/program_name.hpp"

#include <treadle/observe/programs.hpp>

#include "base/fork.hpp"
#include "base/process_in_program.hpp"

#include <filesystem>
#include <mutex>
#include <system_error>

namespace treadle::detail {
namespace {

struct given_name {
  fork_safe_mutex mutex;
  std::string name;
};
given_name& given() {
  static auto& one = *new given_name;
  return one;
}

} // namespace

void name_program(std::string name) {
  given_name& g = given();
  const std::lock_guard guard(g.mutex);
  g.name = std::move(name);
}

std::string name_of_program() {
  given_name& g = given();
  const std::lock_guard guard(g.mutex);
  if (!g.name.empty()) return g.name;
  std::error_code ignored;
  return std::filesystem::read_symlink("/proc/self/exe", ignored).filename().string();
}

std::string short_name_of_program() { return std::filesystem::path(name_of_program()).filename().string(); }

std::string shown_name_of_program() {
  const int process = process_in_program();
  return short_name_of_program() + (process < 0 ? "" : " L" + std::to_string(process));
}

} // namespace treadle::detail
