#include "decide/pool_layouts.hpp"

#include <algorithm>
#include <utility>

namespace treadle::decide {

pool_layouts::pool_layouts(std::vector<pool> pools, unsigned workers, std::vector<std::string> bindings, bool orders)
    : m_pools(std::move(pools)),
      m_bindings(std::move(bindings)),
      m_orders(orders),
      m_sizes(m_pools.size(), workers),
      m_space(dimensions()) {}

std::vector<tune::dimension> pool_layouts::dimensions() const {
  std::vector<tune::dimension> result;
  if (binds()) result.push_back({static_cast<std::uint32_t>(m_bindings.size()), false});
  if (m_orders) result.push_back({2, false});
  for (std::size_t i = 0; i + 1 < m_pools.size(); ++i) {
    const auto numbers = static_cast<std::uint32_t>(m_sizes.choices().size());
    result.push_back({numbers + (m_pools[i].may_be_none ? 1 : 0), true});
  }
  return result;
}

std::vector<std::uint32_t> pool_layouts::indices(tune::arm at) const {
  std::vector<std::uint32_t> result;
  for (std::size_t d = 0; d < m_space.dimensions().size(); ++d) result.push_back(m_space.index(at, d));
  return result;
}

tune::arm pool_layouts::closest(const std::vector<unsigned>& sizes, std::string_view binding) const {
  std::vector<std::uint32_t> at;
  if (binds()) {
    const auto found = std::find(m_bindings.begin(), m_bindings.end(), binding);
    at.push_back(found == m_bindings.end() ? 0 : static_cast<std::uint32_t>(found - m_bindings.begin()));
  }
  if (m_orders) at.push_back(0);
  for (std::size_t i = 0; i + 1 < m_pools.size(); ++i) {
    const std::uint32_t none = m_pools[i].may_be_none ? 1 : 0;
    at.push_back(none != 0 && sizes[i] == 0 ? 0 : m_sizes.closest(sizes[i]) + none);
  }
  return m_space.point(at);
}

std::vector<tune::arm> pool_layouts::first_looks(tune::arm start) const {
  std::vector<tune::arm> result;
  const auto look = [&](std::size_t d, std::uint32_t index) {
    auto at = indices(start);
    at[d] = index;
    const tune::arm other = m_space.point(at);
    if (other != start && std::find(result.begin(), result.end(), other) == result.end()) result.push_back(other);
  };
  if (m_orders) look(order_dimension(), is_ordered(start) ? 1 : 0);
  for (std::size_t i = 0; i + 1 < m_pools.size(); ++i) {
    if (!m_pools[i].may_be_none) continue;
    const std::size_t d = dimension_of(i);
    const std::uint32_t last = m_space.dimensions()[d].size - 1;
    for (const std::uint32_t index : {0u, last, last / 2}) look(d, index);
  }
  return result;
}

std::vector<unsigned> pool_layouts::sizes(tune::arm at) const {
  std::vector<unsigned> wanted;
  for (std::size_t i = 0; i + 1 < m_pools.size(); ++i) {
    const std::uint32_t index = m_space.index(at, dimension_of(i)), none = m_pools[i].may_be_none ? 1 : 0;
    wanted.push_back(index < none ? 0 : m_sizes.choices()[index - none]);
  }
  return m_sizes.sizes(wanted);
}

std::string_view pool_layouts::binding(tune::arm at) const {
  return binds() ? std::string_view(m_bindings[m_space.index(at, 0)]) : std::string_view();
}

bool pool_layouts::is_ordered(tune::arm at) const { return !m_orders || m_space.index(at, order_dimension()) == 0; }

std::string pool_layouts::sizes_text(tune::arm at) const {
  const std::vector<unsigned> each = sizes(at);
  std::string result;
  for (std::size_t i = 0; i < each.size(); ++i)
    result += (i == 0 ? "" : ",") + m_pools[i].name + ":" + std::to_string(each[i]);
  return result;
}

std::string pool_layouts::text(tune::arm at) const {
  return sizes_text(at) + (binds() ? " " + std::string(binding(at)) : "") + (is_ordered(at) ? "" : " unordered");
}

std::string pool_layouts::all() const {
  std::string result = sizes_text(0) + " .. " + sizes_text(m_space.size() - 1);
  if (binds())
    for (const std::string& one : m_bindings) result += (&one == &m_bindings.front() ? " " : "|") + one;
  if (m_orders) result += " ordered|unordered";
  return result;
}

} // namespace treadle::decide
