#include <treadle/topology.hpp>

#include <algorithm>
#include <array>
#include <numeric>
#include <stdexcept>
#include <string>
#include <tuple>

namespace treadle {
namespace {

using units = std::vector<unsigned>; // indices of topology::units

constexpr std::array<std::string_view, 6> k_names{"packed",   "compact",       "scatter",
                                                  "balanced", "numa-balanced", "numa-balanced-mtp"};

units all_of(const topology& machine) {
  units all(machine.units.size());
  std::iota(all.begin(), all.end(), 0u);
  return all;
}

/// For each unit the rank of its `inner` part among those of its `outer` part, both numbered through the machine.
units ranks(const topology& machine, unsigned processing_unit::* inner, unsigned processing_unit::* outer) {
  units result;
  for (const processing_unit& one : machine.units) {
    std::vector<unsigned> before;
    for (const processing_unit& other : machine.units)
      if (other.*outer == one.*outer && other.*inner < one.*inner) before.push_back(other.*inner);
    std::sort(before.begin(), before.end());
    result.push_back(static_cast<unsigned>(std::unique(before.begin(), before.end()) - before.begin()));
  }
  return result;
}

units scattered(const topology& machine) {
  const units core = ranks(machine, &processing_unit::core, &processing_unit::domain);
  const units domain = ranks(machine, &processing_unit::domain, &processing_unit::package);
  units all = all_of(machine);
  std::sort(all.begin(), all.end(), [&](unsigned a, unsigned b) {
    const auto place = [&](unsigned i) {
      const processing_unit& u = machine.units[i];
      return std::tuple(u.thread, core[i], domain[i], u.package, u.domain, i);
    };
    return place(a) < place(b);
  });
  return all;
}

/// `n` of those in `from`, which are sorted, so that each core has as many of them as possible alike, the first ones
/// one more; still sorted.
units spread_over_cores(const topology& machine, const units& from, std::size_t n) {
  std::vector<units> cores;
  for (const unsigned i : from) {
    if (cores.empty() || machine.units[cores.back().front()].core != machine.units[i].core) cores.emplace_back();
    cores.back().push_back(i);
  }
  std::vector<std::size_t> taken(cores.size());
  for (bool is_full = false; n > 0 && !is_full;) {
    is_full = true;
    for (std::size_t c = 0; c < cores.size() && n > 0; ++c) {
      if (taken[c] == cores[c].size()) continue;
      ++taken[c];
      --n;
      is_full = false;
    }
  }
  units result;
  for (std::size_t c = 0; c < cores.size(); ++c)
    result.insert(result.end(), cores[c].begin(), cores[c].begin() + static_cast<std::ptrdiff_t>(taken[c]));
  return result;
}

std::vector<units> by_domain(const topology& machine) {
  std::vector<units> result(machine.domains);
  for (unsigned i = 0; i < machine.units.size(); ++i) result[machine.units[i].domain].push_back(i);
  return result;
}

/// How many of `n` workers each domain gets: its share of the hardware threads rounded down, as far as they are free;
/// the rest one by one where most are free, and of equals where the fewest were given.
std::vector<std::size_t> share_out(const std::vector<units>& all, const std::vector<std::size_t>& free, std::size_t n) {
  std::size_t units_of_all = 0;
  for (const units& domain : all) units_of_all += domain.size();
  if (n == 0) return std::vector<std::size_t>(all.size()); // there may be no units
  std::vector<std::size_t> given(all.size());
  std::size_t rest = n;
  for (std::size_t d = 0; d < all.size(); ++d) {
    given[d] = std::min(n * all[d].size() / units_of_all, free[d]);
    rest -= given[d];
  }
  for (; rest > 0; --rest) {
    std::size_t best = all.size();
    for (std::size_t d = 0; d < all.size(); ++d) {
      if (given[d] == free[d]) continue;
      const auto rank = [&](std::size_t i) { return std::pair(free[i] - given[i], n - given[i]); };
      if (best == all.size() || rank(d) > rank(best)) best = d;
    }
    ++given[best]; // there is one: no more are asked for than are free
  }
  return given;
}

units numa_balanced(const topology& machine, std::size_t n) {
  const std::vector<units> domains = by_domain(machine);
  std::vector<std::size_t> free;
  for (const units& domain : domains) free.push_back(domain.size());
  const std::vector<std::size_t> given = share_out(domains, free, n);
  units result;
  for (std::size_t d = 0; d < domains.size(); ++d) {
    const units some = spread_over_cores(machine, domains[d], given[d]);
    result.insert(result.end(), some.begin(), some.end());
  }
  return result;
}

/// The pools one after the other along `order`, which begins again at its end.
std::vector<units> cut(const units& order, std::span<const unsigned> pools) {
  std::vector<units> result(pools.size());
  std::size_t next = 0;
  for (std::size_t k = 0; k < pools.size() && !order.empty(); ++k)
    for (unsigned i = 0; i < pools[k]; ++i) result[k].push_back(order[next++ % order.size()]);
  return result;
}

/// The same in the order of the machine, each pool beginning with a core of its own; empty when there are too few.
std::vector<units> cut_between_cores(const topology& machine, std::span<const unsigned> pools) {
  std::vector<units> result(pools.size());
  unsigned next = 0;
  for (std::size_t k = 0; k < pools.size(); ++k) {
    while (next > 0 && next < machine.units.size() && machine.units[next].core == machine.units[next - 1].core) ++next;
    for (unsigned i = 0; i < pools[k]; ++i, ++next) {
      if (next == machine.units.size()) return {};
      result[k].push_back(next);
    }
  }
  return result;
}

std::vector<units> numa_balanced_by_pool(const topology& machine, std::span<const unsigned> pools) {
  std::vector<units> domains = by_domain(machine);
  for (units& domain : domains) // first all cores, then their further hardware threads
    std::stable_sort(domain.begin(), domain.end(),
                     [&](unsigned a, unsigned b) { return machine.units[a].thread < machine.units[b].thread; });
  std::vector<std::size_t> free, used(domains.size());
  for (const units& domain : domains) free.push_back(domain.size());
  std::vector<units> result(pools.size());
  for (std::size_t k = 0; k < pools.size(); ++k) {
    const std::vector<std::size_t> given = share_out(domains, free, pools[k]);
    for (std::size_t d = 0; d < domains.size(); ++d) {
      const auto first = domains[d].begin() + static_cast<std::ptrdiff_t>(used[d]);
      result[k].insert(result[k].end(), first, first + static_cast<std::ptrdiff_t>(given[d]));
      used[d] += given[d];
      free[d] -= given[d];
    }
  }
  return result;
}

} // namespace

std::string_view to_string(mapping how) noexcept { return k_names[static_cast<std::size_t>(how)]; }

mapping mapping_from_name(std::string_view name) {
  std::string known;
  for (std::size_t i = 0; i < k_names.size(); ++i) {
    if (k_names[i] == name) return static_cast<mapping>(i);
    known += (i == 0 ? "" : ", ") + std::string(k_names[i]);
  }
  throw std::invalid_argument("expected a mapping (" + known + "), got '" + std::string(name) + "'");
}

std::vector<std::vector<unsigned>> map_workers(const topology& machine, mapping how, std::span<const unsigned> pools) {
  for (const processing_unit& one : machine.units)
    if (one.domain >= machine.domains)
      throw std::invalid_argument("a hardware thread is in domain " + std::to_string(one.domain) + " of " +
                                  std::to_string(machine.domains));
  const std::size_t workers = std::accumulate(pools.begin(), pools.end(), std::size_t{0});
  const bool fit = workers <= machine.units.size();
  switch (how) {
  case mapping::packed:
    break;
  case mapping::compact:
    if (auto found = cut_between_cores(machine, pools); !found.empty()) return found;
    break;
  case mapping::scatter:
    return cut(scattered(machine), pools);
  case mapping::balanced:
    if (fit) return cut(spread_over_cores(machine, all_of(machine), workers), pools);
    break;
  case mapping::numa_balanced:
    if (fit) return cut(numa_balanced(machine, workers), pools);
    break;
  case mapping::numa_balanced_mtp:
    if (fit) return numa_balanced_by_pool(machine, pools);
    break;
  }
  return cut(all_of(machine), pools);
}

} // namespace treadle
