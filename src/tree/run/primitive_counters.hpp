// The counters of primitives, by Phylanx's names: /tree/primitives/NAME/count/eval, .../time/eval and .../eval_direct.
#pragma once

#include "tree/nodes/node.hpp"

#include <span>
#include <string>

namespace treadle::tree {

// A program whose instances the counters see while this object lives; what they had counted until then stays in the
// totals. From the first program on that has a primitive, its counters are there.
class counted_program {
 public:
  // All that is given outlives this object. Throws std::bad_alloc.
  counted_program(const std::string& name, std::span<const node* const> nodes, const node_statistics* statistics);
  ~counted_program();
  counted_program(const counted_program&) = delete;
  counted_program& operator=(const counted_program&) = delete;

  const std::string& name() const noexcept { return m_name; }
  std::span<const node* const> nodes() const noexcept { return m_nodes; }
  const node_statistics& statistics(const node& of) const noexcept { return m_statistics[of.index]; }

 private:
  const std::string& m_name;
  std::span<const node* const> m_nodes;
  const node_statistics* m_statistics;
};

} // namespace treadle::tree
