// What localities leave for each other: the value comes first, or who takes it.
#include <treadle/localities/collectives.hpp>

#include <treadle/detail/spinlock.hpp>

#include <map>
#include <memory>
#include <optional>
#include <utility>

namespace treadle::detail {
namespace {

using bytes = std::vector<std::byte>;

struct meeting {
  std::optional<bytes> value; ///< or somebody waits for it
  promise<bytes> waits;
};
using meetings = std::map<std::pair<std::string, unsigned>, std::unique_ptr<meeting>>;

spinlock lock;
meetings all_meetings;

/// Leaves `mine` there, or takes out what somebody else has left.
std::unique_ptr<meeting> meet(const std::string& key, unsigned from, std::unique_ptr<meeting>& mine) {
  const scoped_lock guard(lock);
  const auto [at, is_first] = all_meetings.try_emplace({key, from});
  if (is_first) {
    at->second = std::move(mine);
    return nullptr;
  }
  std::unique_ptr<meeting> other = std::move(at->second);
  all_meetings.erase(at);
  return other;
}

void arrive(const std::string& key, unsigned from, bytes value) {
  auto mine = std::make_unique<meeting>();
  mine->value = std::move(value);
  if (const auto other = meet(key, from, mine)) other->waits.set_value(std::move(*mine->value));
}

} // namespace

void deposit(locality to, const std::string& key, std::vector<std::byte> value) {
  post<direct<arrive>>(to, key, find_here().number(), std::move(value));
}

future<std::vector<std::byte>> take_deposit(locality from, const std::string& key) {
  auto mine = std::make_unique<meeting>();
  future<bytes> result = mine->waits.get_future();
  if (const auto other = meet(key, from.number(), mine)) mine->waits.set_value(std::move(*other->value));
  return result;
}

} // namespace treadle::detail
