#include "agent_link/wish.hpp"

#include <algorithm>
#include <charconv>
#include <stdexcept>

namespace treadle {
namespace detail {
namespace {

constexpr double k_weight_most = 1e6, k_target_most = 1e9;
constexpr unsigned k_cores_most = 1u << 20;
constexpr std::size_t k_name_most = 64;

} // namespace

void check(const core_wish& wish, const std::string& source) {
  const auto refuse = [&](const std::string& why) { throw std::invalid_argument(source + ": " + why); };
  if (wish.least > k_cores_most || wish.most > k_cores_most)
    refuse("least and most are at most " + std::to_string(k_cores_most));
  if (wish.most != 0 && wish.most < wish.least)
    refuse("most=" + std::to_string(wish.most) + " is less than least=" + std::to_string(wish.least));
  if (!(wish.weight > 0 && wish.weight <= k_weight_most)) refuse("weight: expected more than 0, at most 1e6");
  if (!(wish.target >= 0 && wish.target <= k_target_most)) refuse("target: expected 0 to 1e9 items");
  if (wish.group.size() > k_name_most || wish.group.find(',') != std::string::npos)
    refuse("group: expected at most 64 bytes, without a comma");
  if (!wish.role.empty() && wish.role != "producer" && wish.role != "consumer")
    refuse("role: expected 'producer' or 'consumer', got '" + wish.role + "'");
  if (!wish.role.empty() && wish.group.empty()) refuse("role=" + wish.role + " needs a group");
}

std::string to_text(const core_wish& w) {
  char weight[32], target[32];
  std::string text = "least=" + std::to_string(w.least) + ",most=" + std::to_string(w.most) +
                     ",weight=" + std::string(weight, std::to_chars(weight, weight + sizeof weight, w.weight).ptr) +
                     ",target=" + std::string(target, std::to_chars(target, target + sizeof target, w.target).ptr);
  if (w.is_preferred) text += ",preferred";
  if (!w.group.empty()) text += ",group=" + w.group;
  if (!w.role.empty()) text += ",role=" + w.role;
  return text;
}

} // namespace detail

core_wish parse_core_wish(std::string_view text, const std::string& source) {
  core_wish wish;
  const auto refuse = [&](const std::string& why) { throw std::invalid_argument(source + ": " + why); };
  const auto read = [&](std::string_view name, std::string_view value, auto& to) {
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), to);
    if (error != std::errc() || end != value.data() + value.size())
      refuse(std::string(name) + ": expected a number, got '" + std::string(value) + "'");
  };
  while (!text.empty()) {
    const std::string_view part = text.substr(0, text.find(','));
    text.remove_prefix(std::min(part.size() + 1, text.size()));
    const std::size_t equals = part.find('=');
    const std::string_view name = part.substr(0, equals);
    const std::string_view value = equals == part.npos ? std::string_view() : part.substr(equals + 1);
    if (name == "least")
      read(name, value, wish.least);
    else if (name == "most")
      read(name, value, wish.most);
    else if (name == "weight")
      read(name, value, wish.weight);
    else if (name == "target")
      read(name, value, wish.target);
    else if (name == "group")
      wish.group = value;
    else if (name == "role")
      wish.role = value;
    else if (name == "preferred" && equals == part.npos)
      wish.is_preferred = true;
    else
      refuse("'" + std::string(part) + "'; there are least=, most=, weight=, preferred, group=, role=, target=");
  }
  detail::check(wish, source);
  return wish;
}

} // namespace treadle
