// Python objects to values of an execution tree and back, without copying the elements of arrays where that is
// possible.
#pragma once

#include <treadle/arrays/value.hpp>

#include <nanobind/nanobind.h>

#include <string>

namespace treadle::python {

// The value of a Python object. Arrays of bool, int64 and float64 are read in place and kept alive; other element types
// that fit into one of these are converted. `name` says which object it is in the TypeError, ValueError or
// OverflowError that an unusable one gives. Needs the GIL.
value to_value(nanobind::handle object, const std::string& name);

// The value with memory of its own, which nobody outside changes.
value detached(const value& v);

// The Python object of a value. An array that nobody else holds becomes the memory of a NumPy array; others are copied,
// so that the result may be written. Needs the GIL.
nanobind::object to_python(value&& v);

// Python memory that values gave up on threads that do not hold the GIL is let go here. Needs the GIL.
void release_pending();

} // namespace treadle::python
