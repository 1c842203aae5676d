#include <treadle/tune/search_options.hpp>

#include "base/names.hpp"

namespace treadle {
namespace {

constexpr std::string_view k_names[] = {"local-ucb",   "exhaustive",          "random",
                                        "nelder-mead", "parallel-rank-order", "published-rank-order"};

} // namespace

std::string_view to_string(search_strategy strategy) noexcept { return k_names[static_cast<std::size_t>(strategy)]; }

search_strategy search_strategy_from_name(std::string_view name) {
  return detail::enumerator_from_name<search_strategy>(k_names, "search strategy", name);
}

} // namespace treadle
