// Norms of vectors and matrices, put together from the other kernels.
#include "tree/kernels/linear_solver.hpp"
#include "tree/kernels/matrix_product.hpp"
#include "tree/nodes/primitive.hpp"

#include <cmath>
#include <limits>

namespace treadle::tree {
namespace {

constexpr double k_infinity = std::numeric_limits<double>::infinity();

class norms {
 public:
  norms(const call_context& context, const value& order) : m_context(context), m_order(order) {}

  // The norms of the vectors along one axis, which stays with length 1.
  value of_vectors(const value& x, const value& axis) const {
    if (m_order.is_string()) unknown("vectors");
    const double p = m_order.is_nil() ? 2.0 : m_order.to_float64();
    if (p == k_infinity) return largest(magnitudes(x), axis);
    if (p == -k_infinity) return along("amin", magnitudes(x), axis);
    if (p == 0.0) return along("sum", call("astype", {call("__ne", {x, value(0)}), value("float64")}), axis);
    if (p == 1.0) return along("sum", magnitudes(x), axis);
    if (p == 2.0) return root_of_squares(x, axis);
    const auto powers = call("power", {magnitudes(x), value(p)});
    return call("power", {along("sum", powers, axis), value(1.0 / p)});
  }

  // The norms of the matrices in two axes, which stay with length 1.
  value of_matrices(const value& x, std::size_t rows, std::size_t columns) const {
    const auto sums = [&](std::size_t over) { return along("sum", magnitudes(x), value(over)); };
    const auto both = value::list({value(rows), value(columns)});
    if (m_order.is_nil()) return root_of_squares(x, both);
    if (m_order.is_string()) {
      if (m_order.to_string_view() == "fro" || m_order.to_string_view() == "f") return root_of_squares(x, both);
      if (m_order.to_string_view() == "nuc") return of_singular_values(x, rows, columns, "sum");
      unknown("matrices");
    }
    const double p = m_order.to_float64();
    if (p == 1.0) return largest(sums(rows), value(columns));
    if (p == -1.0) return along("amin", sums(rows), value(columns));
    if (p == k_infinity) return largest(sums(columns), value(rows));
    if (p == -k_infinity) return along("amin", sums(columns), value(rows));
    if (p == 2.0) return of_singular_values(x, rows, columns, "amax");
    if (p == -2.0) return of_singular_values(x, rows, columns, "amin");
    unknown("matrices");
  }

 private:
  value call(std::string_view name, std::vector<value> args) const {
    return call_primitive(name, m_context, std::move(args));
  }
  value along(std::string_view reduction, const value& x, const value& axis) const {
    return call(reduction, {x, axis, value(true)});
  }
  value largest(const value& x, const value& axis) const { // of nothing: 0
    return call("amax", {x, axis, value(true), value(0)});
  }
  value magnitudes(const value& x) const { return call("absolute", {x}); }
  value root_of_squares(const value& x, const value& axis) const {
    return call("sqrt", {along("sum", call("square", {x}), axis)});
  }

  value of_singular_values(const value& x, std::size_t rows, std::size_t columns, std::string_view reduction) const {
    const auto a = x.to_array();
    std::vector<std::int64_t> order;
    for (std::size_t i = 0; i < a.rank(); ++i)
      if (i != rows && i != columns) order.push_back(static_cast<std::int64_t>(i));
    order.push_back(static_cast<std::int64_t>(rows));
    order.push_back(static_cast<std::int64_t>(columns));
    auto shape = a.shape();
    shape[rows] = shape[columns] = 1;
    const value values = singular_values(a.transpose(order));
    const auto result = reduction == "amax" ? largest(values, value(-1)) : along(reduction, values, value(-1));
    return result.to_array().reshape(shape);
  }

  [[noreturn]] void unknown(const char* of) const {
    throw value_error("unknown norm of " + std::string(of) + ": " + repr(m_order));
  }

  const call_context& m_context;
  const value& m_order;
};

// (a, ord, axis, keepdims) as numpy.linalg.norm.
value norm(call_context& context, std::span<value> args) {
  const auto a = args[0].to_array().cast(dtype::float64);
  const auto &order = argument(args, 1), &axis = argument(args, 2);
  const bool keep = !argument(args, 3).is_nil() && args[3].to_bool();
  const bool frobenius = order.is_string() && (order.to_string_view() == "fro" || order.to_string_view() == "f");
  const bool euclidean = order.is_scalar() && order.to_float64() == 2.0;
  if (axis.is_nil() && (order.is_nil() || (frobenius && a.rank() == 2) || (euclidean && a.rank() == 1))) {
    const value all = a.reshape({-1});
    const double length = std::sqrt(dot(all, all).to_float64());
    if (!keep) return length;
    extents ones = a.shape();
    for (std::size_t i = 0; i < ones.rank(); ++i) ones[i] = 1;
    return detail::from_array(value(length).to_array().reshape(ones));
  }
  std::vector<std::size_t> axes;
  if (axis.is_nil())
    for (std::size_t i = 0; i < a.rank(); ++i) axes.push_back(i);
  else if (axis.is_list())
    for (std::size_t i = 0; i < axis.size(); ++i) axes.push_back(to_axis(axis.item(i), a.rank()));
  else
    axes.push_back(to_axis(axis, a.rank()));
  if (axes.size() != 1 && axes.size() != 2)
    throw value_error("norms are those of vectors or matrices: give one axis or two");
  if (axes.size() == 2 && axes[0] == axes[1]) throw value_error("axis " + std::to_string(axes[0]) + " is given twice");
  const norms n(context, order);
  auto result = axes.size() == 1 ? n.of_vectors(a, value(axes[0])) : n.of_matrices(a, axes[0], axes[1]);
  if (keep) return detail::from_array(result.to_array());
  std::vector<value> gone;
  for (auto i : axes) gone.emplace_back(i);
  return call_primitive("squeeze", context, {result, value::list(std::move(gone))});
}

} // namespace

std::span<const primitive> norm_primitives() {
  static constexpr primitive k_table[] = {{"norm", "a, ord=, axis=, keepdims=", norm}};
  return k_table;
}

} // namespace treadle::tree
