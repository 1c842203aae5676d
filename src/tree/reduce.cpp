#include "tree/reduce.hpp"

namespace treadle::tree {

reduction reduction_plan(const extents& shape, const value& axis, const value& keepdims) {
  reduction plan;
  const bool keep = !keepdims.is_nil() && keepdims.to_bool();
  const auto add = [&](const value& one) {
    const auto bit = 1u << to_axis(one, shape.rank());
    if (plan.axes & bit) throw value_error("axis " + repr(one) + " is given twice");
    plan.axes |= bit;
  };
  if (axis.is_nil()) {
    plan.axes = (1u << shape.rank()) - 1;
  } else if (axis.is_list()) {
    for (std::size_t i = 0; i < axis.size(); ++i) add(axis.item(i));
  } else {
    add(axis);
  }
  for (std::size_t i = 0; i < shape.rank(); ++i) {
    const bool gone = plan.axes >> i & 1u;
    if (gone) plan.reduced *= shape[i];
    if (!gone || keep) plan.shape.push_back(gone ? 1 : shape[i]);
  }
  return plan;
}

} // namespace treadle::tree
