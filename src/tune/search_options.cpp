#include <treadle/search_options.hpp>

#include <algorithm>
#include <iterator>
#include <stdexcept>
#include <string>

namespace treadle {
namespace {

constexpr std::string_view k_names[] = {
    "automatic",           "exhaustive", "random",  "nelder-mead",    "parallel-rank-order",
    "simulated-annealing", "hill-climb", "two-arm", "discounted-ucb", "local-ucb"};

} // namespace

std::string_view to_string(search_strategy strategy) noexcept { return k_names[static_cast<std::size_t>(strategy)]; }

search_strategy search_strategy_from_name(std::string_view name) {
  const auto* found = std::find(std::begin(k_names), std::end(k_names), name);
  if (found != std::end(k_names)) return static_cast<search_strategy>(found - std::begin(k_names));
  std::string message = "no search strategy '" + std::string(name) + "'; there are";
  for (std::string_view one : k_names) message += (one == k_names[0] ? " " : ", ") + std::string(one);
  throw std::invalid_argument(message);
}

} // namespace treadle
