#include "control/place_name.hpp"

#include "base/fork.hpp"

#include <map>
#include <mutex>

namespace treadle::detail {

std::string place_name(std::string name) {
  static auto& mutex = *new fork_safe_mutex; // not destroyed: places may be used until the very end
  static auto& used = *new std::map<std::string, unsigned>;
  const std::lock_guard guard(mutex);
  const unsigned number = ++used[name];
  return number == 1 ? std::move(name) : name + " #" + std::to_string(number);
}

} // namespace treadle::detail
