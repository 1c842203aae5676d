// The counters of primitives, by Phylanx's names: /tree/primitives/NAME/count/eval, .../time/eval and .../eval_direct.
#pragma once

#include "tree/nodes/node.hpp"

#include <span>
#include <string>

namespace treadle::tree {

// How an instance is evaluated, as far as it was.
inline physl::inline_mode mode_of(const node& n, const node_statistics& s) noexcept {
  const bool is_never_asked = n.is_leaf() || n.always_inline;
  if (is_never_asked && s.count.load(detail::order::relaxed) != 0) return physl::inline_mode::inlined;
  return static_cast<physl::inline_mode>(s.mode.load(detail::order::relaxed));
}

// A program whose instances the counters see while this object lives; what they had counted until then stays in the
// totals. From the first program on that has a primitive, its counters are there.
class counted_program {
 public:
  // All that is given outlives this object. Throws std::bad_alloc.
  counted_program(const std::string& name, std::span<const node* const> nodes, node_statistics* statistics);
  ~counted_program();
  counted_program(const counted_program&) = delete;
  counted_program& operator=(const counted_program&) = delete;

  // Counts of the program begin at zero again; those that there were stay in the totals.
  void reset() noexcept;

  const std::string& name() const noexcept { return m_name; }
  std::span<const node* const> nodes() const noexcept { return m_nodes; }
  const node_statistics& statistics(const node& of) const noexcept { return m_statistics[of.index]; }

 private:
  void keep_totals() noexcept;

  const std::string& m_name;
  std::span<const node* const> m_nodes;
  node_statistics* m_statistics;
};

} // namespace treadle::tree
