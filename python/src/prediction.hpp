#pragma once

#include <nanobind/nanobind.h>

#include <treadle/topology.hpp>

#include <string>

namespace treadle::python {

/// "" for what this process may use, a file of lstopo that ends in .xml, or a description in the syntax of hwloc.
topology read_machine(const std::string& machine, const std::string& distances);

void bind_prediction(nanobind::module_& m);

} // namespace treadle::python
