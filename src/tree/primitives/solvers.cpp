#include "tree/kernels/linear_solver.hpp"
#include "tree/nodes/primitive.hpp"

namespace treadle::tree {
namespace {

value invert(call_context&, std::span<value> args) { return inverse(args[0].to_array()); }
value determine(call_context&, std::span<value> args) { return determinant(args[0].to_array()); }
value solve_lu(call_context&, std::span<value> args) { return solve(args[0].to_array(), args[1].to_array()); }

triangle triangle_of(const value& v) {
  if (v.is_nil() || v.to_string_view() == "U") return triangle::upper;
  if (v.to_string_view() == "L") return triangle::lower;
  throw value_error("unknown triangle " + repr(v) + ": use \"U\" or \"L\"");
}

template <array (*Solve)(const array&, const array&, triangle)>
value solve_symmetric(call_context&, std::span<value> args) { // (a, b, triangle = "U")
  return Solve(args[0].to_array(), args[1].to_array(), triangle_of(argument(args, 2)));
}

value solve_iteratively(call_context&, std::span<value> args) { // (a, b, rtol = 1e-5, maxiter = 10 n), as SciPy
  const auto a = args[0].to_array(), b = args[1].to_array();
  const double tolerance = argument(args, 2).is_nil() ? 1e-5 : args[2].to_float64();
  const auto iterations = argument(args, 3).is_nil() ? 10 * b.size() : args[3].to_int64();
  return solve_conjugate_gradient(a, b, tolerance, iterations);
}

value lower_upper(call_context&, std::span<value> args) {
  auto parts = decompose_lu(args[0].to_array());
  return value::tuple({std::move(parts.permutation), std::move(parts.lower), std::move(parts.upper)});
}

} // namespace

std::span<const primitive> solver_primitives() {
  static constexpr primitive k_table[] = {
      {"inverse", "a", invert},
      {"determinant", "a", determine},
      {"solve", "a, b", solve_lu},
      {"linear_solver_lu", "a, b", solve_lu},
      {"linear_solver_cholesky", "a, b, triangle=", solve_symmetric<solve_cholesky>},
      {"linear_solver_ldlt", "a, b, triangle=", solve_symmetric<solve_ldlt>},
      {"iterative_solver_conjugate_gradient", "a, b, rtol=, maxiter=", solve_iteratively},
      {"lu", "a", lower_upper},
  };
  return k_table;
}

} // namespace treadle::tree
