// What localities leave for each other: the value comes first, or who takes it. Of one key they are in order.
#include "parcel/calls/deposits.hpp"

#include <treadle/detail/spinlock.hpp>
#include <treadle/localities/collectives.hpp>

#include <deque>
#include <map>
#include <optional>
#include <utility>

namespace treadle::detail {
namespace {

using bytes = std::vector<std::byte>;

/// Of its two lists one is empty.
struct meeting {
  std::deque<bytes> values;
  std::deque<promise<bytes>> waits;
};

using meeting_map = std::map<std::pair<std::string, unsigned>, meeting>;

// Never destroyed: a program may exit() while messages arrive.
spinlock lock;
meeting_map& meetings = *new meeting_map;
std::exception_ptr& failure = *new std::exception_ptr;

void arrive(const std::string& key, unsigned from, bytes value) {
  std::optional<promise<bytes>> waits;
  {
    const scoped_lock guard(lock);
    const auto at = meetings.try_emplace({key, from}).first;
    meeting& here = at->second;
    if (here.waits.empty()) return here.values.push_back(std::move(value));
    waits = std::move(here.waits.front());
    here.waits.pop_front();
    if (here.waits.empty()) meetings.erase(at);
  }
  waits->set_value(std::move(value));
}

} // namespace

void deposit(locality to, const std::string& key, std::vector<std::byte> value) {
  post<direct<arrive>>(to, key, find_here().number(), std::move(value));
}

future<std::vector<std::byte>> take_deposit(locality from, const std::string& key) {
  promise<bytes> result;
  future<bytes> given = result.get_future();
  std::optional<bytes> value;
  {
    const scoped_lock guard(lock);
    const auto at = meetings.try_emplace({key, from.number()}).first;
    meeting& here = at->second;
    if (!here.values.empty()) {
      value = std::move(here.values.front());
      here.values.pop_front();
      if (here.values.empty()) meetings.erase(at);
    } else if (failure) {
      meetings.erase(at);
    } else {
      here.waits.push_back(std::move(result));
      return given;
    }
  }
  value ? result.set_value(std::move(*value)) : result.set_exception(failure);
  return given;
}

void fail_deposits(const std::exception_ptr& why) noexcept {
  meeting_map left;
  {
    const scoped_lock guard(lock);
    failure = why;
    left.swap(meetings);
  }
  for (auto& [key, here] : left)
    for (promise<bytes>& one : here.waits) one.set_exception(why);
}

} // namespace treadle::detail
