#include "control/place_name.hpp"

#include "base/fork.hpp"

#include <map>
#include <mutex>
#include <set>
#include <utility>

namespace treadle::detail {
namespace {

std::string numbered(std::string name, unsigned number) {
  return number == 1 ? std::move(name) : std::move(name) + " #" + std::to_string(number);
}

/// Not destroyed, as programs may be static objects.
struct instance_numbers {
  fork_safe_mutex mutex;
  std::map<std::string, std::set<unsigned>> used;
};
instance_numbers& numbers() {
  static auto& all = *new instance_numbers;
  return all;
}

unsigned take_number(const std::string& name) {
  instance_numbers& all = numbers();
  const std::lock_guard guard(all.mutex);
  std::set<unsigned>& used = all.used[name];
  unsigned number = 1;
  for (const unsigned other : used) {
    if (other != number) break;
    ++number;
  }
  used.insert(number);
  return number;
}

} // namespace

instance_name::instance_name(std::string name)
    : m_name(std::move(name)), m_number(take_number(m_name)), m_text(numbered(m_name, m_number)) {}
instance_name::~instance_name() {
  instance_numbers& all = numbers();
  const std::lock_guard guard(all.mutex);
  const auto mine = all.used.find(m_name);
  mine->second.erase(m_number);
  if (mine->second.empty()) all.used.erase(mine);
}

std::string place_name(std::string name) {
  static auto& mutex = *new fork_safe_mutex; // not destroyed: places may be used until the very end
  static auto& used = *new std::map<std::string, unsigned>;
  const std::lock_guard guard(mutex);
  const unsigned number = ++used[name];
  return numbered(std::move(name), number);
}

} // namespace treadle::detail
