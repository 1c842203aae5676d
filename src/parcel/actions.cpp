#include "parcel/actions.hpp"

#include "base/fnv1a.hpp"

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

namespace treadle::detail {
namespace {

constinit action_entry* first = nullptr; // before main(), and by libraries that are loaded later
std::vector<const action_entry*> numbered;

void refuse(const arrived_parcel& parcel) {
  try {
    throw std::runtime_error("there is no action of this number");
  } catch (...) {
    send_exception("(unknown)", parcel.reply, parcel.from);
  }
}
action_entry unknown("", refuse); // sorted before all others: number 0

} // namespace

constinit shared_coalescing usual_coalescing;

action_entry::action_entry(const char* n, handler h) noexcept : name(n), handle(h), next(first) { first = this; }

std::uint64_t number_actions() {
  std::vector<action_entry*> all;
  for (action_entry* one = first; one; one = one->next) all.push_back(one);
  std::sort(all.begin(), all.end(), [](auto* a, auto* b) { return std::strcmp(a->name, b->name) < 0; });
  std::string names;
  numbered.clear();
  for (action_entry* one : all) {
    if (!numbered.empty() && std::strcmp(numbered.back()->name, one->name) == 0)
      throw std::logic_error(std::string("localities: two actions are called ") + one->name +
                             "; functions that are known in one file only need names of their own");
    one->number = static_cast<std::uint32_t>(numbered.size());
    numbered.push_back(one);
    names += one->name;
    names += '\n';
  }
  return fnv1a(names);
}

const action_entry& find_action(std::uint32_t number) noexcept {
  return *numbered[number < numbered.size() ? number : 0];
}

} // namespace treadle::detail
