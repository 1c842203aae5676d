// Chains such as a + b * c - d over large arrays of one shape, computed block by block, by several tasks: what is
// between two operations stays in the cache, and no intermediate array is made. The kernels are those of the single
// operations, so every element gets the same bits.
#pragma once

#include "tree/nodes/node.hpp"

#include <vector>

namespace treadle::tree {

class primitive_node;
struct compiled;

// An elementwise primitive and those below it, down to variables and constants.
class elementwise_chain {
 public:
  explicit elementwise_chain(const node& root) { add(root); }

  std::size_t steps() const noexcept { return m_steps.size(); }

  // False when that is not worth tasks, when the operands are no large arrays of one shape, or when something fails:
  // then nothing has happened, and node by node comes the same result or the right error.
  bool execute(frame& f, context& c, value& result) const;

 private:
  struct step {
    const primitive_node* n;
    std::vector<std::int32_t> operands; // the result of a step, or ~i: input i
  };

  std::int32_t add(const node& n);
  bool load(frame& f, std::vector<value>& inputs, extents& shape) const;
  value compute_block(std::span<const value> inputs, std::int64_t at, std::int64_t length, context& c,
                      std::span<std::int64_t> ticks) const;
  void count(context& c, std::span<const std::int64_t> ticks, std::int64_t total) const;

  std::vector<step> m_steps; // operands first; the last one is the root
  std::vector<const node*> m_inputs;
};

// Gives the nodes of a linked program their chains.
void find_chains(compiled& program);

} // namespace treadle::tree
