#include "parcel/calls/actions.hpp"

#include "base/fnv1a.hpp"
#include "parcel/calls/build_id.hpp"

#include <treadle/detail/spinlock.hpp>

#include <cxxabi.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <set>
#include <stdexcept>
#include <string_view>
#include <vector>

namespace treadle::detail {
namespace {

constinit action_entry* first = nullptr; // before main(), and by libraries that are loaded later
std::vector<const action_entry*>& numbered =
    *new std::vector<const action_entry*>; // a program may exit() while messages arrive

extern action_entry unknown;

void refuse(std::span<const std::byte> /*arguments*/, unsigned from, std::uint64_t reply) {
  try {
    throw std::runtime_error("there is no action of this number");
  } catch (...) {
    send_exception(unknown, reply, from);
  }
}
action_entry unknown("", &refuse); // sorted before all others: number 0
constinit const action_entry* none[] = {&unknown};

} // namespace

constinit std::span<const action_entry* const> g_actions{none};

namespace {

spinlock settings_lock; // of action_entry::own_coalescing, and the next
constinit coalescing usual_coalescing;

void check(const coalescing& how) {
  const auto refuse = [](const char* what) { throw std::invalid_argument(std::string("coalescing: ") + what); };
  constexpr std::int64_t k_second_ns = 1'000'000'000;
  if (how.parcels == 0) refuse("messages of no parcels");
  if (how.interval_ns < 0 || how.interval_ns > k_second_ns) refuse("an interval is 0 to 1 s");
  if (how.hold_ns < coalescing::k_found_out || how.hold_ns > k_second_ns) refuse("parcels are held back 0 to 1 s");
  if (how.bytes < coalescing::k_found_out || how.bytes > std::int64_t{1} << 20U)
    refuse("0 bytes to 1 MiB leave together");
  if (how.every < 1) refuse("something is tried after one parcel, message or nanosecond at least");
  if (how.how == coalescing_kind::paper_adaptive && how.search != search_strategy::nelder_mead &&
      how.search != search_strategy::parallel_rank_order)
    refuse("the search is nelder-mead or parallel-rank-order");
}

} // namespace

coalescing coalescing_of(const action_entry& action) noexcept {
  const scoped_lock guard(settings_lock);
  return action.own_coalescing ? *action.own_coalescing : usual_coalescing;
}

void store_coalescing(action_entry* of, const coalescing& how) {
  check(how);
  const scoped_lock guard(settings_lock);
  if (of)
    of->own_coalescing = how;
  else
    usual_coalescing = how;
}

action_entry::action_entry(const char* s, handler h, arriving_beginner b) noexcept
    : symbol(s), handle(h), begin(b), next(first) {
  first = this;
}

std::string name_of(const action_entry& action) {
  constexpr std::string_view k_before = "treadle::detail::action<";
  const std::string all = readable(action.symbol);
  const std::size_t at = all.find(k_before);
  return at == std::string::npos ? "(unknown)"
                                 : all.substr(at + k_before.size(), all.rfind('>') - at - k_before.size());
}

std::string readable(const char* symbol) {
  int status = 0;
  char* const text = abi::__cxa_demangle(symbol, nullptr, nullptr, &status);
  std::string result = text ? text : symbol;
  std::free(text);
  return result;
}

std::uint64_t number_actions() {
  std::vector<action_entry*> all;
  for (action_entry* one = first; one; one = one->next) all.push_back(one);
  std::sort(all.begin(), all.end(), [](auto* a, auto* b) { return std::strcmp(a->symbol, b->symbol) < 0; });
  std::string names;
  numbered.clear();
  for (action_entry* one : all) {
    if (!numbered.empty() && std::strcmp(numbered.back()->symbol, one->symbol) == 0)
      throw std::logic_error("localities: two actions are called " + name_of(*one) +
                             "; functions that are known in one file only need names of their own");
    one->number = static_cast<std::uint32_t>(numbered.size());
    numbered.push_back(one);
    names += one->symbol;
    names += '\n';
  }
  g_actions = numbered;
  std::set<std::string> builds; // of the program and of libraries that have actions: what the names do not tell
  for (const action_entry* one : all) builds.insert(build_id_of(one));
  for (const std::string& build : builds) names += build;
  return fnv1a(names);
}

} // namespace treadle::detail
