// name{L#n}(...): a call that locality n computes. docs/design/distributed-arrays.md
#pragma once

#include "tree/nodes/node.hpp"
#include "tree/run/other_localities.hpp"

#include <memory>

namespace treadle::tree {

// Operands are evaluated here, and their values sent. What is called reads and writes no variables but its own, so it
// is the same wherever it is computed.
class placed_node final : public strict_node {
 public:
  // `call`: without operands. `levels`: from the function it stands in outwards to the program itself.
  placed_node(std::unique_ptr<strict_node> call, unsigned locality, std::uint32_t levels, const program_text& program)
      : strict_node(call->primitive_name(), call->instance_name(), call->where()),
        m_call(std::move(call)),
        m_locality(locality),
        m_levels(levels),
        m_program(program) {}

  value compute(std::span<value> args, std::uint32_t owned, frame& f, context& c) const override;
  node_effects own_effects() const noexcept override;
  strict_node& call() const noexcept { return *m_call; }
  std::string_view name() const noexcept { // of what is called
    return instance_name().empty() ? primitive_name() : std::string_view(instance_name());
  }

 private:
  const std::unique_ptr<strict_node> m_call;
  const unsigned m_locality;
  const std::uint32_t m_levels;
  const program_text& m_program;
};

} // namespace treadle::tree
