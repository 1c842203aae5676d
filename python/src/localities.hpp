#pragma once

#include <nanobind/nanobind.h>

namespace treadle::python {

void bind_localities(nanobind::module_& m);

} // namespace treadle::python
