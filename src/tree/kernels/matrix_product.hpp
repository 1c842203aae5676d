// Products of vectors and matrices.
#pragma once

#include <treadle/arrays/value.hpp>

namespace treadle::tree {

class run_services;

// numpy.dot. Small products run in our own loops, because calling BLAS costs more than they do; large
// ones in single-threaded BLAS, transposed views without a copy, and very large ones in tiles, by several tasks where
// the services of the run allow that. A diagonal matrix scales rows or columns, to the same bits. The path depends on
// shapes and strides alone, so results are reproducible. value_error when the inner lengths differ.
value dot(const value& a, const value& b, const run_services* services = nullptr);

// numpy.matmul: as dot for ranks 1 and 2, stacks of matrices above; scalars are refused.
value matmul(const value& a, const value& b, const run_services* services = nullptr);

} // namespace treadle::tree
