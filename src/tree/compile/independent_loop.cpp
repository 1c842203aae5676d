// Why this is right: docs/design/parallel-tree.md.
#include "tree/compile/independent_loop.hpp"

#include "tree/compile/array_part.hpp"
#include "tree/nodes/forms.hpp"
#include "tree/nodes/primitive_node.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

namespace treadle::tree {
namespace {

constexpr int k_deepest = 100; // expressions nested deeper are not looked into

std::string quoted(std::string_view name) { return "'" + std::string(name) + "'"; }

// Whether an index may leave an axis, or make one.
bool selects_several(const node* index, const variable_use& counter) {
  if (as_primitive(*index, "list")) return index->operands().size() != 1;
  if (as_primitive(*index, "__index")) return !distance(*index, counter); // of anything
  const auto* literal = as<literal_node>(*index);
  return literal && !literal->constant().is_scalar();
}

// Whether no result of a primitive is one of its operands, or a view of one.
bool gives_new_memory(const primitive& p) {
  const auto among = [&](std::span<const primitive> family) {
    return &p >= family.data() && &p < family.data() + family.size();
  };
  return among(arithmetic_primitives()) || among(comparison_primitives()) || among(reduction_primitives()) ||
         among(matrix_primitives()) || (among(unary_primitives()) && p.name != "real");
}

// Follows one iteration in the order of its evaluation and notes which variables it has surely written so far.
class iteration {
 public:
  using names = std::set<variable_use>;

  iteration(const variable_use& counter, const std::vector<variable_use>& written)
      : m_counter(counter), m_written(written.begin(), written.end()) {}

  bool refused() const noexcept { return !m_reason.empty(); }
  void refuse(std::string why) {
    if (!refused()) m_reason = std::move(why);
  }
  void visit(node& n, names& defined);
  loop_verdict finish(const names& defined, std::unique_ptr<independent_loop> found);

 private:
  struct access {
    std::vector<array_part> parts;
    bool written = false;
    bool needs_alone = false; // changed as Python changes
  };
  struct part_read {
    primitive_node* n;
    variable_use array;
    std::size_t elements_of; // of arrays of this many axes at most it gives elements
    bool kept;               // the part itself, not something computed from it
  };

  void visit_all(std::span<node* const> nodes, names& defined) {
    for (node* n : nodes) visit(*n, defined);
  }
  void visit_unsure(node& n, names defined) { visit(n, defined); } // it may be left out
  void visit_inner_loop(std::span<node* const> turn, names defined) {
    ++m_loops;
    visit_all(turn, defined);
    --m_loops;
  }
  void visit_form(const form_node& n, names& defined);
  void read(const variable_use& v, const names& defined);
  void call(const node& n, const function_code& code, const names& defined) {
    // A closure would go on with the variables of the part that made it, which are not those of the loop's function.
    if (code.captures >= static_cast<std::int64_t>(m_counter.level))
      refuse(quoted(n.instance_name().empty() ? n.primitive_name() : n.instance_name()) +
             " makes a function that keeps variables of the loop");
    for (const auto& v : code.reads) read(v, defined);
  }
  bool may_write(const variable_use& v);
  void write(const variable_use& v, names& defined);
  void write_part(const slice_assignment_node& n, names& defined);
  bool reads_part(node& n, names& defined);
  bool is_consumed(const names& defined) const;

  const variable_use m_counter;
  const names m_written;
  names m_inputs;
  names m_whole;                           // written as a whole, somewhere
  std::map<variable_use, access> m_arrays; // written, or read, in parts and not as a whole before
  std::vector<part_read> m_part_reads;
  std::string m_reason;
  std::vector<const node*> m_path; // the node that is visited, and those around it
  int m_depth = 0, m_loops = 0;
};

void iteration::read(const variable_use& v, const names& defined) {
  if (v.shared) return refuse(quoted(v.name) + " is shared with other tasks");
  if (v == m_counter) return void(m_inputs.insert(v));
  if (!m_written.contains(v)) {
    if (v.level == m_counter.level) m_inputs.insert(v);
  } else if (!defined.contains(v)) {
    refuse(quoted(v.name) + " is read before it is written");
  }
}

bool iteration::may_write(const variable_use& v) {
  if (v.shared)
    refuse(quoted(v.name) + " is shared with other tasks");
  else if (v.level != m_counter.level)
    refuse(quoted(v.name) + " belongs to the function around");
  else if (v == m_counter)
    refuse(quoted(v.name) + " is written more than once");
  return !refused();
}

void iteration::write(const variable_use& v, names& defined) {
  if (!may_write(v)) return;
  m_whole.insert(v);
  defined.insert(v);
}

void iteration::write_part(const slice_assignment_node& n, names& defined) {
  visit_all(n.operands(), defined);
  const auto v = use_of(n);
  if (!may_write(v) || defined.contains(v)) return;
  if (n.operands().size() == 1) return refuse(quoted(v.name) + " is read before it is written"); // changed as a whole
  const auto selected = part_of(n.operands().subspan(1), 0, m_counter);
  if (!selected || n.is_nested())
    return refuse("the part of " + quoted(v.name) + " that is written does not follow " + quoted(m_counter.name));
  auto& a = m_arrays[v];
  a.parts.push_back(*selected);
  a.written = true;
  a.needs_alone = a.needs_alone || n.kind() != change_kind::value;
}

// Whether the part of an array that is visited does not outlive the statement: something is computed from it, or it is
// copied into an array, perhaps after functions and views have passed it on.
bool iteration::is_consumed(const names& defined) const {
  for (auto around = m_path.rbegin() + 1; around < m_path.rend(); ++around) {
    if (const auto* target = as<slice_assignment_node>(**around)) // into an array that is written in parts
      return !target->is_nested() && target->kind() != change_kind::append && !defined.contains(use_of(*target));
    const auto* p = as<primitive_node>(**around);
    if (p && gives_new_memory(p->definition())) return true;
    if (!p && !as<call_node>(**around)) return false;
  }
  return false;
}

// slice(x, ...) of an array that the loop writes in parts.
bool iteration::reads_part(node& n, names& defined) {
  auto* p = dynamic_cast<primitive_node*>(&n);
  const bool column = p && p->is_plain("slice_column");
  if (!p || (!column && !p->is_plain("slice") && !p->is_plain("slice_row"))) return false;
  const auto* array = as<variable_node>(*n.operands()[0]);
  if (!array || !m_written.contains(use_of(*array)) || defined.contains(use_of(*array))) return false;
  const auto indices = n.operands().subspan(1);
  const auto selected = part_of(indices, column ? 1 : 0, m_counter);
  if (!selected || array->address().shared) return false;
  visit_all(indices, defined);
  m_arrays[use_of(*array)].parts.push_back(*selected);
  const bool elements = !column && std::none_of(indices.begin(), indices.end(),
                                                [&](const node* index) { return selects_several(index, m_counter); });
  m_part_reads.push_back({p, use_of(*array), elements ? indices.size() : 0, !is_consumed(defined)});
  return true;
}

void iteration::visit(node& n, names& defined) {
  if (refused()) return;
  if (m_depth > k_deepest) return refuse("expressions are nested too deeply");
  ++m_depth;
  m_path.push_back(&n);
  if (const auto* v = as<variable_node>(n)) {
    read(use_of(*v), defined);
  } else if (const auto* assignment = as<assignment_node>(n)) {
    visit_all(n.operands(), defined);
    write(use_of(*assignment), defined);
  } else if (const auto* slice = as<slice_assignment_node>(n)) {
    write_part(*slice, defined);
  } else if (const auto* loop = as<for_in_node>(n)) {
    visit(*n.operands()[0], defined);
    auto inside = defined;
    write(use_of(*loop), inside);
    visit_inner_loop(n.operands().subspan(1), std::move(inside));
  } else if (as<closure_node>(n)) {
    refuse("a function is made in it");
  } else if (as<dynamic_call_node>(n)) {
    refuse("what " + quoted(n.instance_name()) + " calls is not known");
  } else if (n.own_effects().ordered) {
    refuse(quoted(n.instance_name().empty() ? n.primitive_name() : std::string_view(n.instance_name())) +
           " keeps the order of the program");
  } else if (const auto* call = as<call_node>(n)) {
    if (call->code().effects.any()) refuse(quoted(n.instance_name()) + " writes variables around it");
    visit_all(n.operands(), defined);
    this->call(n, call->code(), defined);
  } else if (const auto* form = as<form_node>(n)) {
    visit_form(*form, defined);
  } else if (n.evaluates_operands() && !reads_part(n, defined)) {
    visit_all(n.operands(), defined);
  }
  m_path.pop_back();
  --m_depth;
}

void iteration::visit_form(const form_node& n, names& defined) {
  const auto operands = n.operands();
  if (n.means(execute_if)) {
    visit(*operands[0], defined);
    auto then = defined, otherwise = defined;
    visit(*operands[1], then);
    visit_all(operands.subspan(2), otherwise);
    std::set_intersection(then.begin(), then.end(), otherwise.begin(), otherwise.end(),
                          std::inserter(defined, defined.end()));
  } else if (n.means(execute_while)) {
    visit(*operands[0], defined);
    visit_inner_loop(operands.subspan(1), defined);
  } else if (n.means(execute_for)) {
    visit_all(operands.first(2), defined);
    visit_inner_loop(operands.subspan(3, 1), defined);
    visit_inner_loop(operands.subspan(2, 1), defined); // also after `continue`, so it may have nothing of the body
  } else if (n.means(execute_and) || n.means(execute_or)) {
    visit(*operands[0], defined);
    for (node* later : operands.subspan(1)) visit_unsure(*later, defined);
  } else if (n.means(execute_return) || ((n.means(execute_break) || n.means(execute_continue)) && m_loops == 0)) {
    refuse("it may be left early");
  } else if (n.calls_first_operand()) {
    const auto effects = effects_of_callee(*operands[0]);
    if (effects.any()) return refuse("what " + quoted(n.primitive_name()) + " calls has effects");
    if (const auto* closure = called_in_place(n)) call(n, closure->code(), defined);
    visit_all(operands.subspan(1), defined);
  } else {
    visit_all(operands, defined);
  }
}

loop_verdict iteration::finish(const names& defined, std::unique_ptr<independent_loop> found) {
  for (const auto& [v, a] : m_arrays) {
    if (m_whole.contains(v)) refuse(quoted(v.name) + " is written as a whole and in parts");
    if (!a.written) refuse(quoted(v.name) + " is read before it is written");
    auto all = a.parts[0];
    for (const auto& p : a.parts) {
      if (p.axis != all.axis) refuse("different axes of " + quoted(v.name) + " are used");
      all.begin = std::min(all.begin, p.begin);
      all.end = std::max(all.end, p.end);
    }
    if (found->bound && all.end - all.begin > found->step) refuse("iterations use the same parts of " + quoted(v.name));
    found->lowest = std::min(found->lowest, all.begin);
    found->width = std::max(found->width, all.end - all.begin);
    found->arrays.push_back(v.position);
    found->needs_alone = found->needs_alone || a.needs_alone;
    m_inputs.insert(v);
  }
  std::vector<primitive_node*> copies;
  for (const auto& r : m_part_reads) {
    if (r.kept && m_arrays.at(r.array).needs_alone)
      found->kept.emplace_back(r.array.position, r.elements_of);
    else
      copies.push_back(r.n);
  }
  for (const auto& v : m_written)
    if (!(v == m_counter) && !defined.contains(v) && !m_arrays.contains(v))
      refuse(quoted(v.name) + " is not written in every iteration");
  if (refused()) return {nullptr, std::move(m_reason), {}};
  for (const auto& v : m_written)
    if (!m_arrays.contains(v)) found->temporaries.push_back(v.position);
  for (const auto& v : m_inputs)
    if (!(v == m_counter)) found->inputs.push_back(v.position);
  return {std::move(found), {}, std::move(copies)};
}

// i < bound, bound > i and the like. Null: not of that form.
const node* bound_of(const node& condition, variable_use& counter, bool& inclusive) {
  constexpr struct {
    std::string_view name;
    std::size_t counter;
    bool inclusive;
  } k_forms[] = {{"__lt", 0, false}, {"__le", 0, true}, {"__gt", 1, false}, {"__ge", 1, true}};
  for (const auto& form : k_forms) {
    if (!as_primitive(condition, form.name) || condition.operands().size() != 2) continue;
    const auto* v = as<variable_node>(*condition.operands()[form.counter]);
    const node* bound = condition.operands()[1 - form.counter];
    if (!v || v->address().levels != 0 || !bound->is_leaf()) return nullptr;
    counter = use_of(*v);
    inclusive = form.inclusive;
    return bound;
  }
  return nullptr;
}

bool contains(const std::vector<variable_use>& sorted, const variable_use& v) {
  return std::binary_search(sorted.begin(), sorted.end(), v);
}

loop_verdict refused(std::string why) { return {nullptr, std::move(why), {}}; }

// The parts of a loop with a condition.
struct counted_loop {
  node* condition;
  std::vector<node*> body; // without its last statement, which counts
  node* count = nullptr;
};

counted_loop parts_of(const node& loop) {
  const auto operands = loop.operands();
  if (is_form(loop, execute_for)) return {operands[1], {operands[3]}, operands[2]};
  counted_loop parts{operands[0], {}, operands[1]};
  while (is_form(*parts.count, execute_block) && !parts.count->operands().empty()) {
    const auto statements = parts.count->operands();
    parts.body.insert(parts.body.end(), statements.begin(), statements.end() - 1);
    parts.count = statements.back();
  }
  return parts;
}

loop_verdict judge_counted(node& loop, const std::vector<variable_use>& written) {
  const auto parts = parts_of(loop);
  auto found = std::make_unique<independent_loop>();
  variable_use counter;
  found->bound = bound_of(*parts.condition, counter, found->inclusive);
  if (!found->bound) return refused("its condition does not compare a variable with a bound");
  found->variable = counter.position;
  const auto* count = as<assignment_node>(*parts.count);
  const auto step = count && use_of(*count) == counter ? distance(*count->operands()[0], counter) : std::nullopt;
  if (!step || *step <= 0) return refused("it does not end with adding a constant to " + quoted(counter.name));
  found->step = *step;
  if (const auto* v = as<variable_node>(*found->bound); v && contains(written, use_of(*v)))
    return refused("its bound " + quoted(v->instance_name()) + " changes");
  if (counter.shared) return refused(quoted(counter.name) + " is shared with other tasks");
  iteration one(counter, written);
  iteration::names defined;
  one.visit(*parts.condition, defined);
  for (node* statement : parts.body) one.visit(*statement, defined);
  return one.finish(defined, std::move(found));
}

loop_verdict judge_for_in(for_in_node& loop, const std::vector<variable_use>& written) {
  auto found = std::make_unique<independent_loop>();
  const auto counter = use_of(loop);
  found->variable = counter.position;
  if (loop.address().levels != 0 || counter.shared) return refused(quoted(counter.name) + " is used by others");
  iteration one(counter, written);
  iteration::names defined;
  one.visit(*loop.operands()[1], defined);
  return one.finish(defined, std::move(found));
}

} // namespace

bool is_loop(const node& n) noexcept {
  return as<for_in_node>(n) || is_form(n, execute_while) || is_form(n, execute_for);
}

const closure_node* called_in_place(const node& n) noexcept {
  const auto* form = as<form_node>(n);
  return form && form->calls_first_operand() ? as<closure_node>(*n.operands()[0]) : nullptr;
}

loop_verdict judge_loop(node& loop, const std::vector<variable_use>& written) {
  auto* for_in = dynamic_cast<for_in_node*>(&loop);
  return for_in ? judge_for_in(*for_in, written) : judge_counted(loop, written);
}

} // namespace treadle::tree
