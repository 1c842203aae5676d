#pragma once

#include <nanobind/nanobind.h>

#include <treadle/pools.hpp>
#include <treadle/topology.hpp>

#include <string>
#include <vector>

namespace treadle::python {

/// "" for what this process may use, a file of lstopo that ends in .xml, or a description in the syntax of hwloc.
topology read_machine(const std::string& machine, const std::string& distances);

/// Throws std::invalid_argument for pools that have hardware threads of their own, which only those of runtimes can.
void refuse_own_threads(const std::vector<pool>& described);

void bind_prediction(nanobind::module_& m);

/// Of the enumerators, the first one to this.
template <class Enumerator>
std::vector<std::string> names_up_to(Enumerator last) {
  std::vector<std::string> names;
  for (int i = 0; i <= static_cast<int>(last); ++i) names.emplace_back(to_string(static_cast<Enumerator>(i)));
  return names;
}

} // namespace treadle::python
