#include "tree/kernels/reduce.hpp"

namespace treadle::tree {

reduction reduction_plan(const extents& shape, const value& axis, const value& keepdims) {
  reduction plan;
  const bool keep = !keepdims.is_nil() && keepdims.to_bool();
  plan.axes = to_axes(axis, shape.rank());
  for (std::size_t i = 0; i < shape.rank(); ++i) {
    const bool gone = plan.axes >> i & 1u;
    if (gone) plan.reduced *= shape[i];
    if (!gone || keep) plan.shape.push_back(gone ? 1 : shape[i]);
  }
  return plan;
}

} // namespace treadle::tree
