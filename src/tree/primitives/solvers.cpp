#include "tree/linear_solver.hpp"
#include "tree/primitive.hpp"

namespace treadle::tree {
namespace {

value invert(call_context&, std::span<value> args) { return inverse(args[0].to_array()); }
value determine(call_context&, std::span<value> args) { return determinant(args[0].to_array()); }
value solve_lu(call_context&, std::span<value> args) { return solve(args[0].to_array(), args[1].to_array()); }

} // namespace

std::span<const primitive> solver_primitives() {
  static constexpr primitive k_table[] = {
      {"inverse", "a", invert},
      {"determinant", "a", determine},
      {"solve", "a, b", solve_lu},
      {"linear_solver_lu", "a, b", solve_lu},
  };
  return k_table;
}

} // namespace treadle::tree
