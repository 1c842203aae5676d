#include "tree/compile/last_reads.hpp"

#include "tree/compile/compiler.hpp"
#include "tree/nodes/forms.hpp"

#include <algorithm>
#include <iterator>
#include <tuple>
#include <unordered_map>
#include <utility>

namespace treadle::tree {
namespace {

// Variables of one function, by slot.
class variables {
 public:
  explicit variables(std::uint32_t slots) : m_has(slots) {}
  bool has(std::uint32_t slot) const { return m_has[slot]; }
  void add(std::uint32_t slot) { m_has[slot] = true; }
  void remove(std::uint32_t slot) { m_has[slot] = false; }
  void add(const variables& other) {
    for (std::size_t i = 0; i < m_has.size(); ++i)
      if (other.m_has[i]) m_has[i] = true;
  }

 private:
  std::vector<bool> m_has;
};

// The parts of a loop in the order of their execution; null where it has none.
struct loop_parts {
  node *start = nullptr, *condition = nullptr, *body = nullptr, *step = nullptr;
};

loop_parts parts_of(const node& loop) {
  const auto o = loop.operands();
  if (as<for_in_node>(loop)) return {o[0], nullptr, o[1], nullptr};
  if (o.size() == 2) return {nullptr, o[0], o[1], nullptr}; // while
  return {o[0], o[1], o[3], o[2]};
}

// Walks one function backwards. What is alive, as always with liveness, is what some path may read before it is
// written.
class function_walk {
 public:
  explicit function_walk(const function_code& f)
      : m_level(f.level), m_none(f.slots), m_kept(m_none), m_held(f.slots), m_break(m_none), m_continue(m_none) {
    collect_kept(*f.body);
    m_marks = true;
    before(*f.body, m_none);
  }

 private:
  bool is_own(const variable_address& a) const noexcept { return a.levels == 0 && !a.shared; }

  static bool is_sequential(const node& n) {
    if (n.type() != node_class::form || as<assignment_node>(n) || as<slice_assignment_node>(n) || is_loop(n) ||
        !n.evaluates_operands())
      return true;
    constexpr form_node::meaning known[] = {execute_block, execute_if,       execute_and,   execute_or,
                                            execute_break, execute_continue, execute_return};
    return std::any_of(std::begin(known), std::end(known), [&](auto m) { return is_form(n, m); });
  }

  // What other functions read whenever they are called, and what is read below forms that this walk does not know.
  void collect_kept(const node& n) {
    const auto add_reads = [this](const function_code& code) {
      for (const auto& v : code.reads)
        if (v.level == m_level) m_kept.add(v.position);
    };
    if (const auto* closure = as<closure_node>(n)) add_reads(closure->code());
    if (const auto* definition = as<definition_node>(n)) add_reads(definition->code());
    if (const auto* call = as<call_node>(n)) add_reads(call->code());
    if (!is_sequential(n)) for_reads_below(n, [this](std::uint32_t slot) { m_kept.add(slot); });
    if (!n.evaluates_operands()) return;
    with_room([&] {
      for (const node* operand : n.operands()) collect_kept(*operand);
    });
  }

  // Calls f(slot) for what n and its operands read.
  template <class F>
  static void for_reads_below(const node& n, const F& f) {
    if (n.type() == node_class::literal) return;
    if (const auto* v = as<variable_node>(n)) {
      if (v->address().levels == 0) f(v->address().position);
    } else if (const auto* slice = as<slice_assignment_node>(n)) {
      for_reads_of_change(*slice, f);
    }
    if (!n.evaluates_operands()) return;
    with_room([&] {
      for (const node* operand : n.operands()) for_reads_below(*operand, f);
    });
  }

  template <class F>
  static void for_reads_of_change(const slice_assignment_node& n, const F& f) {
    if (n.address().levels == 0) f(n.address().position);
    for (const auto& address : n.watched)
      if (address.levels == 0) f(address.position);
  }

  // What is alive before `n`, when `live` is alive after it.
  variables before(node& n, variables live) {
    return with_room([&] { return before_here(n, std::move(live)); });
  }
  variables before_here(node& n, variables live) {
    if (n.type() == node_class::literal || !n.evaluates_operands()) return live;
    if (const auto* v = as<variable_node>(n)) {
      const auto& address = v->address();
      if (!is_own(address)) return live;
      if (m_marks && !live.has(address.position) && !m_kept.has(address.position) && m_held[address.position] == 0)
        static_cast<variable_node&>(n).gives_value = true;
      live.add(address.position);
      return live;
    }
    if (const auto* assignment = as<assignment_node>(n)) {
      if (is_own(assignment->address())) live.remove(assignment->address().position);
      return before(*n.operands()[0], std::move(live));
    }
    if (const auto* slice = as<slice_assignment_node>(n)) {
      for_reads_of_change(*slice, [&](std::uint32_t slot) { live.add(slot); });
      return before_operands(n, std::move(live));
    }
    if (is_loop(n)) return before_loop(n, std::move(live));
    const auto operands = n.operands();
    if (is_form(n, execute_block)) return before_block(n, std::move(live));
    if (is_form(n, execute_break)) return m_break;
    if (is_form(n, execute_continue)) return m_continue;
    if (is_form(n, execute_return)) return before_operands(n, m_none);
    if (is_form(n, execute_if)) {
      auto either = before(*operands[1], live);
      either.add(operands.size() > 2 ? before(*operands[2], live) : live);
      return before(*operands[0], std::move(either));
    }
    if (is_form(n, execute_and) || is_form(n, execute_or)) {
      auto alive = live;
      for (std::size_t i = operands.size(); i-- > 0;) {
        alive = before(*operands[i], std::move(alive));
        alive.add(live); // the operands on the right need not be evaluated
      }
      return alive;
    }
    return before_operands(n, std::move(live));
  }

  // Adds `count` to how many reads below `n` are held.
  void hold(const node& n, int count) {
    if (m_marks) for_reads_below(n, [&](std::uint32_t slot) { m_held[slot] += static_cast<std::uint32_t>(count); });
  }

  // Operands may be evaluated at the same time, and are borrowed: none gives away what another one reads. Those behind
  // it are alive already.
  variables before_operands(node& n, variables live) {
    const auto operands = n.operands();
    for (const node* operand : operands) hold(*operand, 1);
    for (std::size_t i = operands.size(); i-- > 0;) {
      hold(*operands[i], -1);
      live = before(*operands[i], std::move(live));
    }
    return live;
  }

  // Nor does a statement what one of the same stage or a later one reads.
  variables before_block(node& block, variables live) {
    const auto statements = block.operands();
    std::vector<std::size_t> stage(statements.size(), 0);
    if (block.stages)
      for (std::size_t s = 0; s < block.stages->stages.size(); ++s)
        for (const auto* part : {&block.stages->stages[s].parts, &block.stages->stages[s].rest})
          for (auto i : *part) stage[i] = s;
    for (std::size_t i = statements.size(); i-- > 0;) {
      const auto hold_others = [&](int count) {
        for (std::size_t j = 0; block.stages && j < i; ++j)
          if (stage[j] >= stage[i]) hold(*statements[j], count);
      };
      hold_others(1);
      live = before(*statements[i], std::move(live));
      hold_others(-1);
    }
    return live;
  }

  variables before_loop(node& loop, variables live) {
    const auto parts = parts_of(loop);
    auto head = live;
    head.add(exposed(loop, parts));
    const auto outer = std::make_pair(std::exchange(m_break, live), m_continue);
    before_turn(loop, parts, head);
    std::tie(m_break, m_continue) = outer;
    return parts.start ? before(*parts.start, std::move(head)) : head;
  }

  // One turn from its beginning, when `head` is alive where the next begins.
  variables before_turn(const node& loop, const loop_parts& parts, const variables& head) {
    m_continue = parts.step ? before(*parts.step, head) : head;
    auto live = before(*parts.body, m_continue);
    if (const auto* for_in = as<for_in_node>(loop))
      if (is_own(for_in->address())) live.remove(for_in->address().position);
    if (!parts.condition) return live;
    live.add(m_break); // the condition may end the loop
    return before(*parts.condition, std::move(live));
  }

  // What a turn reads of what was there before it.
  const variables& exposed(const node& loop, const loop_parts& parts) {
    const auto known = m_exposed.find(&loop);
    if (known != m_exposed.end()) return known->second;
    const bool marks = std::exchange(m_marks, false);
    const auto outer = std::make_pair(std::exchange(m_break, m_none), m_continue);
    auto found = before_turn(loop, parts, m_none);
    std::tie(m_break, m_continue) = outer;
    m_marks = marks;
    return m_exposed.emplace(&loop, std::move(found)).first->second;
  }

  const std::uint32_t m_level;
  const variables m_none;
  variables m_kept;                  // in the whole function
  std::vector<std::uint32_t> m_held; // reads, by slot, of what may be executed at the same time as where the walk is
  variables m_break, m_continue;     // alive where the loop around is left, and where its next turn begins
  std::unordered_map<const node*, variables> m_exposed;
  bool m_marks = false;
};

} // namespace

void find_last_reads(compiled& program) {
  for (const auto& f : program.functions)
    if (f.body && f.level > 0) function_walk walk(f);
}

} // namespace treadle::tree
