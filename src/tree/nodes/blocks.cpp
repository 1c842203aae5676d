// Blocks. Statements that do not depend on each other may run at the same time.
#include "tree/compile/dependence.hpp"
#include "tree/graph/graph.hpp"
#include "tree/nodes/forms.hpp"
#include "tree/parallel/overlap.hpp"

#include <exception>
#include <numeric>

namespace treadle::tree {
namespace {

using indices = std::vector<std::uint32_t>;

// Which of these statements are worth tasks: none, or at least two.
indices worth_tasks(const node& block, const indices& parts, const context& c) {
  indices worth;
  if (parts.size() < 2) return worth;
  for (auto i : parts)
    if (c.run.is_worth_a_task(block.operands()[i]->index, 1, c.local)) worth.push_back(i);
  if (worth.size() < 2) worth.clear();
  return worth;
}

bool is_worth_staging(const node& block, const statement_stages& plan, const context& c) {
  if (!c.overlaps() || !c.run.may_contain_tasks(block.index, c.local)) return false;
  return std::any_of(plan.stages.begin(), plan.stages.end(),
                     [&](const auto& s) { return !worth_tasks(block, s.parts, c).empty(); });
}

// One execution of a block, stage by stage. Whatever fails, the error is that of the first statement in the order of
// the text that fails once all before it are executed.
class staged_execution {
 public:
  staged_execution(const node& block, frame& f, context& c)
      : m_block(block), m_frame(f), m_context(c), m_outcomes(block.operands().size()) {}

  value run(const statement_stages& plan) {
    try {
      for (const auto& s : plan.stages) {
        run_parts(s.parts);
        run_others(s.rest);
        // What leaves the block has a stage for itself.
        const auto& one = s.parts.empty() ? s.rest : s.parts;
        if (one.size() == 1 && is_signal(m_outcomes[one[0]].result)) return m_outcomes[one[0]].result;
      }
    } catch (...) {
      for (std::uint32_t i = 0; i < m_outcomes.size(); ++i) {
        if (m_outcomes[i].error) std::rethrow_exception(m_outcomes[i].error);
        if (!m_outcomes[i].done) run_one(m_context, i);
      }
      throw;
    }
    return std::move(m_outcomes.back().result);
  }

 private:
  void run_parts(const indices& parts) {
    const auto tasks = worth_tasks(m_block, parts, m_context);
    if (!tasks.empty())
      overlap(
          m_context, tasks.size(), [&](context& here, std::uint64_t k) { run_one(here, tasks[k]); },
          [&](std::uint64_t k) { return m_block.operands()[tasks[k]]->index; });
    run_others(parts);
  }
  void run_others(const indices& statements) {
    for (auto i : statements)
      if (!m_outcomes[i].done) run_one(m_context, i);
  }
  void run_one(context& c, std::uint32_t i) {
    m_outcomes[i].take([&] { return evaluate(*m_block.operands()[i], m_frame, c); });
  }

  const node& m_block;
  frame& m_frame;
  context& m_context;
  std::vector<outcome> m_outcomes;
};

} // namespace

value execute_block(const node& self, frame& f, context& c) {
  if (self.stages && is_worth_staging(self, *self.stages, c)) return staged_execution(self, f, c).run(*self.stages);
  value last;
  for (const node* statement : self.operands()) {
    last = evaluate(*statement, f, c);
    if (is_signal(last)) return last;
  }
  return last;
}

value execute_parallel_block(const node& self, frame& f, context& c) {
  if (!c.spawns()) {
    statement_stages all; // all at once: the program says so
    all.stages.resize(1);
    all.stages[0].parts.resize(self.operands().size());
    std::iota(all.stages[0].parts.begin(), all.stages[0].parts.end(), 0u);
    return is_worth_staging(self, all, c) ? staged_execution(self, f, c).run(all) : execute_block(self, f, c);
  }
  std::vector<eventual> started;
  for (const node* statement : self.operands()) {
    try {
      // A store is bookkeeping, but what it stores is not: it becomes a task here, or the block would wait for each.
      if (statement->always_inline)
        started.push_back(start_task(c, [&f, statement](context& here) { return evaluate(*statement, f, here); }));
      else
        started.push_back(eval(*statement, f, c));
    } catch (...) {
      rethrow_first(started, c, std::current_exception());
    }
  }
  auto values = get_all(started, c);
  return values.empty() ? value() : std::move(values.back());
}

} // namespace treadle::tree
