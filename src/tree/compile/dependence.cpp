// Why this is right: docs/design/parallel-tree.md.
#include "tree/compile/dependence.hpp"

#include "tree/compile/compiler.hpp"
#include "tree/nodes/forms.hpp"
#include "tree/nodes/primitive_node.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace treadle::tree {
namespace {

using uses = std::vector<variable_use>; // sorted

// What a node and everything below it do to the variables of the function it stands in and of those around.
struct access_set {
  uses reads, writes;
  uses drops;           // which nobody reads any more
  bool ordered = false; // keeps its place among all statements: effects, calls that write, a return, shared variables
  bool leaves = false;  // breaks out of the loop around, or continues it
  std::int64_t captures = -1; // the deepest level whose frame a closure keeps that is made here

  void add(access_set&& other);
};

void add_to(uses& all, uses&& more) {
  if (all.size() < more.size()) all.swap(more);
  if (more.empty()) return;
  const auto middle = static_cast<std::ptrdiff_t>(all.size());
  all.insert(all.end(), more.begin(), more.end());
  std::inplace_merge(all.begin(), all.begin() + middle, all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
}

void access_set::add(access_set&& other) {
  add_to(reads, std::move(other.reads));
  add_to(writes, std::move(other.writes));
  add_to(drops, std::move(other.drops));
  ordered = ordered || other.ordered;
  leaves = leaves || other.leaves;
  captures = std::max(captures, other.captures);
}

bool meet(const uses& a, const uses& b) {
  for (auto i = a.begin(), j = b.begin(); i != a.end() && j != b.end();) {
    if (*i == *j) return true;
    ++(*i < *j ? i : j);
  }
  return false;
}

bool depend(const access_set& a, const access_set& b) {
  const auto stays = [](const access_set& s) { return s.ordered || s.leaves; };
  const auto dropped = [](const access_set& s, const access_set& by) {
    return meet(s.reads, by.drops) || meet(s.writes, by.drops);
  };
  return stays(a) || stays(b) || meet(a.writes, b.writes) || meet(a.writes, b.reads) || meet(a.reads, b.writes) ||
         dropped(a, b) || dropped(b, a);
}

// More than a constant or a variable that is stored in another one.
bool may_be_work(const node& statement) noexcept {
  if (as<assignment_node>(statement)) return !statement.operands()[0]->is_leaf();
  return !statement.is_leaf() && !as<definition_node>(statement);
}

class dependence {
 public:
  explicit dependence(compiled& program) : m_program(program), m_sets(program.nodes.size()) {}

  void run() {
    while (settle_functions()) {
    }
    for (const auto& n : m_program.nodes) { // operands first
      if (is_loop(*n)) judge(*n);
      if (is_form(*n, execute_block)) find_stages(*n);
      m_sets[n->index] = below(*n);
    }
    sort_notes();
  }

 private:
  access_set own(const node& n) const {
    access_set s;
    if (const auto* v = as<variable_node>(n)) {
      s.reads = {use_of(*v)};
    } else if (const auto* assignment = as<assignment_node>(n)) {
      s.writes = {use_of(*assignment)};
    } else if (const auto* slice = as<slice_assignment_node>(n)) {
      s.reads = {use_of(*slice)};
      s.writes = s.reads;
      for (const auto& address : slice->watched) add_to(s.reads, {variable_use(address, {})});
      for (const auto& address : slice->dropped) add_to(s.drops, {variable_use(address, {})});
    } else if (const auto* for_in = as<for_in_node>(n)) {
      s.writes = {use_of(*for_in)};
    } else if (const auto* closure = as<closure_node>(n)) {
      s.reads = closure->code().reads;
      s.captures = static_cast<std::int64_t>(closure->code().level) - 1;
    } else if (const auto* call = as<call_node>(n)) {
      s.reads = call->code().reads;
      s.captures = call->code().captures;
      s.ordered = call->code().effects.any();
    } else if (const auto* form = as<form_node>(n)) {
      s.ordered = form->own_effects().any() || form->means(execute_return);
      s.leaves = form->means(execute_break) || form->means(execute_continue);
    } else {
      s.ordered = n.own_effects().any();
    }
    for (const auto& v : s.reads) s.ordered = s.ordered || v.shared;
    for (const auto& v : s.writes) s.ordered = s.ordered || v.shared;
    return s;
  }

  // Takes the sets of the operands.
  access_set below(const node& n) {
    auto s = own(n);
    const auto* in_place = called_in_place(n);
    if (n.evaluates_operands())
      for (const node* operand : n.operands()) {
        auto& set = m_sets[operand->index];
        if (operand == in_place) set.captures = in_place->code().captures;
        s.add(std::move(set));
      }
    if (is_loop(n)) s.leaves = false; // what leaves it goes no further
    return s;
  }

  // One round over what functions read of the variables around them, which depends on the functions they call.
  bool settle_functions() {
    bool changed = false;
    for (const auto& n : m_program.nodes) m_sets[n->index] = below(*n);
    for (auto& f : m_program.functions) {
      if (!f.body) continue;
      uses reads;
      std::int64_t captures = -1;
      const auto add = [&](const node& part) {
        captures = std::max(captures, m_sets[part.index].captures);
        for (const auto& v : m_sets[part.index].reads)
          if (v.level < f.level) reads.push_back(v);
      };
      add(*f.body);
      for (const auto& p : f.parameters)
        if (p.otherwise) add(*p.otherwise);
      std::sort(reads.begin(), reads.end());
      reads.erase(std::unique(reads.begin(), reads.end()), reads.end());
      captures = std::min(captures, static_cast<std::int64_t>(f.level) - 1);
      changed = changed || reads != f.reads || captures != f.captures;
      f.reads = std::move(reads);
      f.captures = captures;
    }
    return changed;
  }

  void judge(node& loop) {
    access_set turn = own(loop);
    const auto operands = loop.operands();
    for (std::size_t i = as<for_in_node>(loop) || operands.size() > 2 ? 1 : 0; i < operands.size(); ++i) {
      auto part = m_sets[operands[i]->index];
      turn.add(std::move(part));
    }
    auto verdict = judge_loop(loop, turn.writes);
    note(loop, verdict.independent != nullptr, verdict.independent ? "parallel" : verdict.reason);
    if (!verdict.independent) return;
    for (auto* p : verdict.part_reads) p->gives_copy = true;
    loop.iterations = verdict.independent.get();
    m_program.loops.push_back(std::move(verdict.independent));
  }

  void find_stages(node& block) {
    const auto statements = block.operands();
    if (statements.size() < 2 || statements.size() > k_most_statements) return;
    statement_stages found;
    std::vector<std::size_t> stage(statements.size(), 0);
    for (std::size_t i = 0; i < statements.size(); ++i) {
      const auto& here = m_sets[statements[i]->index];
      for (std::size_t j = 0; j < i; ++j)
        if (stage[j] >= stage[i] && depend(m_sets[statements[j]->index], here)) stage[i] = stage[j] + 1;
      if (found.stages.size() <= stage[i]) found.stages.resize(stage[i] + 1);
      auto& s = found.stages[stage[i]];
      (may_be_work(*statements[i]) ? s.parts : s.rest).push_back(static_cast<std::uint32_t>(i));
    }
    if (std::all_of(found.stages.begin(), found.stages.end(), [](const auto& s) { return s.parts.size() < 2; })) return;
    note(block, true, "parallel");
    m_program.stages.push_back(std::make_unique<statement_stages>(std::move(found)));
    block.stages = m_program.stages.back().get();
  }

  void note(const node& n, bool parallel, std::string text) {
    m_program.parallelism.push_back(
        {n.index, std::string(n.primitive_name()), n.where().line, n.where().column, parallel, std::move(text)});
  }

  void sort_notes() {
    auto& notes = m_program.parallelism;
    std::sort(notes.begin(), notes.end(), [](const auto& a, const auto& b) { return a.node < b.node; });
  }

  static constexpr std::size_t k_most_statements = 200; // their pairs are compared

  compiled& m_program;
  std::vector<access_set> m_sets; // by node; taken by the node above once that has been reached
};

} // namespace

void find_parallelism(compiled& program) { dependence(program).run(); }

} // namespace treadle::tree
