// How many workers each of some pools has, how all of them are bound to hardware threads, and whether they order their
// tasks: one choice. Pure.
#pragma once

#include "decide/pool_sizes.hpp"
#include "search/space.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace treadle::decide {

/// The space of such choices, and what its points mean. What matters for all workers comes first.
class pool_layouts {
 public:
  struct pool {
    std::string name;
    bool may_be_none = false; ///< it may have no workers: the last pool runs its tasks, so there is a pool less
  };

  /// At least as many workers as pools, of which the last one has what the others leave. `bindings`: what is tried;
  /// none or one: workers are not bound anew. `orders`: tasks may be ordered by the paths behind them, or not.
  pool_layouts(std::vector<pool> pools, unsigned workers, std::vector<std::string> bindings = {}, bool orders = false);

  const tune::space& over() const noexcept { return m_space; }
  /// For all pools but the last one. Of layouts that order tasks, where that is a choice.
  tune::arm closest(const std::vector<unsigned>& sizes, std::string_view binding = {}) const;
  /// What is worth a look before the neighbours of `start`: the other way to order tasks, and for each pool that may
  /// have no workers none, all that there can be, and about half. Costs change little by little in between, so these
  /// tell where to look more closely; a search that goes from neighbour to neighbour would pay for the way, and may end
  /// in a valley at the wrong end.
  std::vector<tune::arm> first_looks(tune::arm start) const;

  std::vector<unsigned> sizes(tune::arm at) const; ///< of all pools
  /// Empty where workers are not bound anew.
  std::string_view binding(tune::arm at) const;
  bool chooses_order() const noexcept { return m_orders; }
  bool is_ordered(tune::arm at) const;        ///< also where there is no choice
  std::string sizes_text(tune::arm at) const; ///< "critical:1,default:3"
  std::string text(tune::arm at) const;       ///< "critical:1,default:3 scatter unordered"
  std::string all() const;                    ///< one text for the whole space

  const std::vector<pool>& pools() const noexcept { return m_pools; }

 private:
  std::vector<tune::dimension> dimensions() const;
  bool binds() const noexcept { return m_bindings.size() > 1; }
  std::size_t order_dimension() const noexcept { return binds() ? 1 : 0; }
  std::size_t dimension_of(std::size_t number) const noexcept {
    return order_dimension() + (m_orders ? 1 : 0) + number;
  }
  std::vector<std::uint32_t> indices(tune::arm at) const;

  std::vector<pool> m_pools;
  std::vector<std::string> m_bindings;
  bool m_orders;
  pool_sizes m_sizes;
  tune::space m_space;
};

} // namespace treadle::decide
