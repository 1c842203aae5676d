// Syntax tree -> execution tree.
#pragma once

#include "tree/compile/analysis.hpp"
#include "tree/compile/dependence.hpp"
#include "tree/compile/independent_loop.hpp"
#include "tree/parallel/elementwise_chain.hpp"

#include <treadle/this_task.hpp>

#include <memory>
#include <string>
#include <vector>

namespace treadle::tree {

// Calls f here, or where there is room for a deep tree.
template <class F>
auto with_room(F&& f) {
  constexpr std::size_t k_reserve = 64 * 1024;
  return this_task::stack_remaining() < k_reserve ? this_task::on_fresh_stack(f) : f();
}

// What a compilation leaves behind. Nodes refer to each other and to functions by address: it must not move.
struct compiled {
  std::deque<function_code> functions;      // the first is the program itself: its slots are the global variables
  std::vector<std::unique_ptr<node>> nodes; // operands before the nodes that use them
  std::vector<node*> roots;
  std::vector<const node*> pre_order; // position = node::index
  std::vector<std::int32_t> parents;  // by index; -1: a root
  std::uint32_t arguments_slot = 0;   // of sys_argv
  // What may overlap; nodes point into these.
  std::vector<std::unique_ptr<independent_loop>> loops;
  std::vector<std::unique_ptr<statement_stages>> stages;
  std::vector<std::unique_ptr<elementwise_chain>> chains;
  std::vector<physl::parallelism_note> parallelism; // in pre-order
  // What it does with other localities.
  program_text text; // for those that compute calls of it; empty where there are none
  bool has_placed_calls = false;
  bool exchanges = false, uses_localities = false;
  std::uint64_t identity = 0; // of one that exchanges something: the same where it is the same program
};

// Throws failure: unknown names (with a suggestion), wrong numbers of arguments, misplaced statements.
std::unique_ptr<compiled> compile(const ast& tree);

// Numbers the nodes and finds out what may overlap: effects, order of operands, which reads need no reference.
void link(compiled& program);

} // namespace treadle::tree
