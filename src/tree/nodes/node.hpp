// Nodes of an execution tree: primitive instances. Immutable once compiled; any number of tasks evaluate one at once.
#pragma once

#include "physl/failure.hpp"
#include "tree/run/run_state.hpp"

#include <algorithm>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace treadle::tree {

using physl::failure;
using physl::place;

enum class node_class : std::uint8_t {
  literal,  // a constant
  variable, // reads one
  strict,   // all operands are evaluated, then it computes
  form      // decides itself which operands are evaluated, in program order
};

inline constexpr std::uint32_t k_no_level = ~0u;
inline constexpr std::uint32_t k_stretch = 16; // levels of nested expressions that may pass without a look at the stack

// What an evaluation does besides giving a value.
struct node_effects {
  bool ordered = false;              // I/O, random numbers, or code that is not known
  std::uint32_t writes = k_no_level; // outermost function level whose variables it writes; deeper ones may be, too
  bool exchanges =
      false; // with other localities, which have to do the same in the same order; or code that is not known
  bool elsewhere = false; // waits for another locality
  bool carries = false;   // sends the state of random numbers there and takes it back, or code that is not known

  static constexpr node_effects of_unknown_code() noexcept {
    return {.ordered = true, .exchanges = true, .carries = true};
  }
  bool any() const noexcept { return ordered || writes != k_no_level; }
  void add(const node_effects& e) noexcept {
    ordered = ordered || e.ordered;
    writes = std::min(writes, e.writes);
    exchanges = exchanges || e.exchanges;
    elsewhere = elsewhere || e.elsewhere;
    carries = carries || e.carries;
  }
  friend bool operator==(const node_effects&, const node_effects&) = default;
};

struct independent_loop;
struct statement_stages;
class elementwise_chain;

class node {
 public:
  node(node_class c, std::string_view primitive, std::string_view instance, place where)
      : m_class(c), m_primitive(primitive), m_instance(instance), m_where(where) {}
  virtual ~node() = default;
  node(const node&) = delete;
  node& operator=(const node&) = delete;

  // Evaluates operands as the node's meaning demands, each by evaluate(), and gives the value. Statistics are the
  // caller's business. Throws value_error or failure.
  virtual value execute(frame& f, context& c) const = 0;

  // Effects of the node itself, those of its operands not counted.
  virtual node_effects own_effects() const noexcept { return {}; }
  virtual bool evaluates_operands() const noexcept { return true; } // false: they are shown below it, no more

  node_class type() const noexcept { return m_class; }
  bool is_leaf() const noexcept { return m_class <= node_class::variable; }
  std::string_view primitive_name() const noexcept { return m_primitive; }
  const std::string& instance_name() const noexcept { return m_instance; }
  place where() const noexcept { return m_where; }
  std::span<node* const> operands() const noexcept { return m_operands; }
  std::vector<node*> take_operands() noexcept { return std::exchange(m_operands, {}); }
  void add_operand(node* n) { m_operands.push_back(n); }

  bool ends_stretch() const noexcept { return depth % k_stretch == 0; }

  // Set by compiler and linker
  // ----------------------------------------------------------------------------------------------
  std::uint32_t index = 0;             // pre-order position in the program; of its statistics
  std::uint32_t sequence = 0;          // among the instances of its primitive
  std::uint32_t depth = 0;             // of nesting in the text
  const char* name_for_traces = "";    // as the profile has it; lives as long as the process
  bool check_stack = false;            // look whether the stack is nearly used up: at calls and every few levels
  bool always_inline = false;          // bookkeeping that is never spawned
  bool has_effects = false;            // writes variables, does I/O, draws random numbers, or may
  bool waits_elsewhere = false;        // for calls that are placed
  bool ordered_operands = false;       // an operand has effects: one after the other
  std::uint32_t borrowed_operands = 0; // bit i: operand i is a leaf nobody else can write before the node is done
  bool may_overlap = false; // strict: it is the root of a chain, or operands may be evaluated at the same time
  // What may overlap below it; null: nothing. They belong to the compiled program.
  const independent_loop* iterations = nullptr;
  const statement_stages* stages = nullptr;
  const elementwise_chain* chain = nullptr; // it is the root of one

 private:
  node_class m_class;
  std::string m_primitive, m_instance;
  place m_where;
  std::vector<node*> m_operands;
};

// The node as one of that class; null when it is none.
template <class Node>
const Node* as(const node& n) noexcept {
  return dynamic_cast<const Node*>(&n);
}

// A node that computes from the values of all its operands; it may run as a task of its own once they are there.
class strict_node : public node {
 public:
  strict_node(std::string_view primitive, std::string_view instance, place where)
      : node(node_class::strict, primitive, instance, where) {}

  // The values are never futures. Bit i of `owned`: args[i] is a temporary.
  virtual value compute(std::span<value> args, std::uint32_t owned, frame& f, context& c) const = 0;

  value execute(frame& f, context& c) const final; // plain recursion
};

// The value of a node, here and now: inline, or by spawning and waiting where the policy says so.
value evaluate(const node& n, frame& f, context& c);

} // namespace treadle::tree
