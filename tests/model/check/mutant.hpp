#pragma once

#include <treadle/detail/order.hpp>

#include <compare>
#include <set>
#include <source_location>
#include <string>
#include <vector>

namespace treadle::check {

using detail::order;

enum class operation { load, store, exchange, compare_exchange, failed_exchange, fetch, light_fence, heavy_fence };

/// A place in the code that names a memory order, or a fence.
struct order_site {
  std::string file;
  unsigned line, column;
  operation what;
  order named;
  auto operator<=>(const order_site&) const = default;
};

/// One order weakened by one step; relaxed in place of a fence: none at all.
struct mutant {
  order_site site;
  order weakened;
};

/// The mutants of a place: an order between acquire-release and relaxed has two.
std::vector<mutant> weaken(const order_site& site);
/// As text: file:line, the operation and both orders.
std::string describe(const mutant& m);

/// While it lives, the explored code runs with these mutants.
class planted {
 public:
  explicit planted(const std::vector<mutant>& mutants);
  ~planted();
  planted(const planted&) = delete;
  planted& operator=(const planted&) = delete;
};

/// While it lives, collects the places that run, those of the product only.
class recording {
 public:
  recording();
  ~recording();
  recording(const recording&) = delete;
  recording& operator=(const recording&) = delete;
  const std::set<order_site>& sites() const noexcept { return m_sites; }

 private:
  std::set<order_site> m_sites;
};

/// The order to use at this place: the one named, unless a mutant is planted there.
order effective_order(operation what, order named, const std::source_location& where);
bool fence_is_present(operation what, const std::source_location& where);

const char* name_of(order o);
const char* name_of(operation o);

} // namespace treadle::check
