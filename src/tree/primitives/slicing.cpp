#include "tree/kernels/slicing.hpp"

#include "tree/nodes/primitive.hpp"

namespace treadle::tree {
namespace {

value slice(call_context&, std::span<value> args) { return slice_value(args[0], args.subspan(1)); }

value slice_column(call_context&, std::span<value> args) {
  const value indices[] = {value(), args[1]};
  return slice_value(args[0], indices);
}

value take(call_context&, std::span<value> args) {
  const bool flat = argument(args, 2).is_nil();
  const auto a = flat ? args[0].to_array().reshape({-1}) : args[0].to_array();
  std::vector<value> indices(flat ? 0 : to_axis(args[2], a.rank()));
  value where = args[1].is_list() ? value(args[1].to_array()) : args[1]; // a list is no slice here
  if (dtype_of_value(where) == dtype::boolean)
    where = detail::from_array(where.to_array().cast(dtype::int64)); // no mask
  indices.push_back(std::move(where));
  return slice_value(a, indices);
}

} // namespace

std::span<const primitive> slicing_primitives() {
  static constexpr primitive k_table[] = {
      {"slice", "a, ...", slice, effect::none, number_rule::as_made, true},
      {"slice_row", "a, row", slice, effect::none, number_rule::as_made, true},
      {"slice_page", "a, page", slice, effect::none, number_rule::as_made, true},
      {"tuple_slice", "a, ...", slice, effect::none, number_rule::as_made, true},
      {"slice_column", "a, column", slice_column, effect::none, number_rule::as_made, true},
      {"take", "a, indices, axis=", take},
  };
  return k_table;
}

} // namespace treadle::tree
