#include <treadle/arrays/physl.hpp>

#include <treadle/async.hpp>
#include <treadle/detail/spinlock.hpp>
#include <treadle/runtime.hpp>

#include "base/clock.hpp"
#include "base/fnv1a.hpp"
#include "control/place_name.hpp"
#include "physl/ast.hpp"
#include "tree/compile/compiler.hpp"
#include "tree/compile/vocabulary.hpp"
#include "tree/nodes/placed.hpp"
#include "tree/run/evaluate.hpp"
#include "tree/run/measurement.hpp"
#include "tree/run/primitive_counters.hpp"
#include "tree/run/profile.hpp"
#include "tree/run/reasons.hpp"
#include "value/text.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace treadle::physl {

namespace {

using namespace tree;

} // namespace

struct program::state {
  state(std::string n, std::string known_as)
      : name(std::move(n)), instance(known_as.empty() ? name : std::move(known_as)), split(instance.text()) {}

  const std::string name;
  const detail::instance_name instance; // longer than its decision
  std::string source;                   // what places refer to; may be empty
  ast syntax;
  std::unique_ptr<compiled> code;
  std::unique_ptr<node_statistics[]> statistics;
  std::unique_ptr<instance_search[]> searches; // null until paper_adaptive is asked for
  detail::spinlock searches_lock;
  tree::splitting split;
  terms_of_runs terms;
  detail::atomic<bool> starts_on_worker{false}; // under adaptive: the latest run was split often
  detail::spinlock timeline_lock;
  physl::timeline latest_timeline;
  std::optional<counted_program> counted; // goes first

  std::size_t size() const noexcept { return code->pre_order.size(); }
  std::span<node_statistics> all_statistics() const noexcept { return {statistics.get(), size()}; }
  node_profile profile_of(std::uint32_t i);
  // For a run that searches for thresholds, otherwise null.
  instance_search* searches_for(const run_options& options) {
    if (options.policy != policy::paper_adaptive) return nullptr;
    check(options.thresholds);
    detail::scoped_lock guard(searches_lock);
    if (!searches) searches = std::make_unique<instance_search[]>(size());
    return searches.get();
  }
  instance_search* searches_or_null() {
    detail::scoped_lock guard(searches_lock);
    return searches.get();
  }
};

program::program(std::string_view text, std::string source_name, std::string_view source_text, std::string instance)
    : m_state(std::make_shared<state>(std::move(source_name), std::move(instance))) {
  try {
    m_state->syntax = parse(text);
    const bool tagged = std::any_of(m_state->syntax.nodes.begin(), m_state->syntax.nodes.end(),
                                    [](const ast_node& n) { return n.tag_count == 2; });
    m_state->source = source_text.empty() && !tagged ? text : source_text;
    m_state->code = compile(m_state->syntax);
  } catch (const failure& f) {
    throw to_error(f, m_state->name,
                   m_state->code || !m_state->source.empty() ? m_state->source : std::string_view(text));
  }
  m_state->statistics = std::make_unique<node_statistics[]>(m_state->size());
  for (const auto& n : m_state->code->nodes) m_state->statistics[n->index].waits_elsewhere = n->waits_elsewhere;
  m_state->counted.emplace(m_state->instance.text(), m_state->code->pre_order, m_state->statistics.get());
  if (m_state->code->has_placed_calls)
    m_state->code->text = {std::string(text), m_state->name, std::string(source_text)};
  if (m_state->code->exchanges) m_state->code->identity = detail::fnv1a(text);
}

namespace {

// Whether something in a value is still on its way.
bool is_open(const value& v) {
  std::vector<const value*> rest{&v};
  while (!rest.empty()) {
    const value& next = *rest.back();
    rest.pop_back();
    if (next.kind() == value_kind::future) return true;
    if (next.is_list())
      for (const auto& item : detail::as_list(next).items)
        if (item.is_list() || item.kind() == value_kind::future) rest.push_back(&item);
  }
  return false;
}

// The value with every asynchronous part replaced by what it stands for.
value resolved(value v, int depth = 0) {
  if (depth > detail::k_deepest_nesting) detail::nested_too_deeply();
  if (depth == 0 && !is_open(v)) return v;
  v = v.wait();
  if (!v.is_list() || detail::as_list(v).is_range) return v;
  std::vector<value> results;
  for (const auto& item : detail::as_list(v).items) results.push_back(resolved(item, depth + 1));
  return detail::list_like(v, std::move(results));
}

// The function that the last expression of a program defines, or nil.
value defined_by(const node& last, frame& globals, context& c) {
  if (const auto* d = dynamic_cast<const definition_node*>(&last))
    return value::adopt(value_kind::function, new function_object(d->code(), globals.capture(c.run)));
  const auto* a = dynamic_cast<const assignment_node*>(&last);
  const auto* closure = a ? dynamic_cast<const closure_node*>(a->operands()[0]) : nullptr;
  return closure ? closure->execute(globals, c) : value();
}

// How much there is in the arguments; an integer often says how much is made.
double size_of(std::span<const value> args) noexcept {
  double size = 0;
  for (const value& v : args) {
    if (v.is_array()) size += static_cast<double>(v.as_array().size());
    if (v.kind() == value_kind::int64) size += std::abs(static_cast<double>(v.integer()));
  }
  return size;
}

// What f(globals, context) gives, with new global variables.
template <class F>
value in_globals(const compiled& code, run_state& run, F&& f) {
  struct released {
    void operator()(frame* globals) const noexcept { globals->release(); }
  };
  const std::unique_ptr<frame, released> globals(frame::create(nullptr, code.functions.front().slots));
  context c(run, 0);
  try {
    return resolved(f(*globals, c));
  } catch (...) {
    run.wait_asynchronous(); // they may use variables of frames that go now
    throw;
  }
}

value run_program(const compiled& code, run_state& run, std::span<const value> args) {
  return in_globals(code, run, [&](frame& globals, context& c) {
    c.before_loops = true;
    globals.at(code.arguments_slot).v = value::list({args.begin(), args.end()});
    value result;
    for (const node* root : code.roots) {
      result = evaluate(*root, globals, c);
      settle(result, c);
    }
    if (!args.empty() && result.is_nil() && !code.roots.empty()) result = defined_by(*code.roots.back(), globals, c);
    if (result.kind() == value_kind::function) {
      std::vector<value> given(args.begin(), args.end());
      result = traced_call(*code.roots.back(), "the program's result", [&] {
        try {
          return call_value(result, given, c);
        } catch (const value_error& e) {
          throw failure(e.what(), code.roots.back()->where(), e.kind());
        }
      });
    }
    return result;
  });
}

} // namespace

value program::run(std::span<const value> args, const run_options& options) const {
  const auto self = m_state; // the handle may go while the run is suspended
  std::optional<run_exchanges> exchanges;
  try {
    if (self->code->exchanges) exchanges.emplace(self->code->identity, options.cancel);
    run_state run(options, self->all_statistics(), self->searches_for(options), self->split, self->terms,
                  size_of(args));
    if (exchanges) run.services().exchange_by(*exchanges);
    value result;
    const bool on_worker = run.spawns() || self->starts_on_worker.load(detail::order::relaxed);
    if (on_worker && options.policy != policy::always_inline && this_task::worker_index() < 0) {
      result = async(launch::async, [&] { return run_program(*self->code, run, args); }).get();
    } else {
      result = run_program(*self->code, run, args);
    }
    run.wait_asynchronous();
    if (options.policy == policy::adaptive) self->starts_on_worker.store(run.splits_often(), detail::order::relaxed);
    if (options.timeline_capacity != 0) {
      auto recorded = run.take_timeline();
      detail::scoped_lock guard(self->timeline_lock);
      std::swap(self->latest_timeline, recorded);
    }
    return result;
  } catch (const failure& f) {
    if (exchanges) exchanges->fail(f.message.c_str());
    throw to_error(f, self->name, self->source);
  } catch (const std::exception& e) { // of the run as a whole: no threads, no memory
    if (exchanges) exchanges->fail(e.what());
    throw to_error(failure(e.what(), {}), self->name, {});
  }
}

} // namespace treadle::physl

namespace treadle::tree {

placed_result execute_placed(const physl::program& program, const placed_call& what) {
  const auto self = program.m_state;
  placed_result found;
  physl::run_options options = what.options;
  options.write = [](void* to, std::string_view text) { static_cast<std::string*>(to)->append(text); };
  options.write_context = &found.written;
  const auto* n = what.node < self->size() ? as<placed_node>(*self->code->pre_order[what.node]) : nullptr;
  if (!n) throw failure("there is no placed call of number " + std::to_string(what.node), {});
  std::vector<value> arguments(what.arguments.begin(), what.arguments.end());
  run_state run(options, self->all_statistics(), self->searches_for(options), self->split, self->terms,
                physl::size_of(arguments));
  if (what.random) run.services().set_random(*what.random);
  try {
    found.result = physl::in_globals(*self->code, run, [&](frame& globals, context& c) {
      return located(*n, [&] { return n->call().compute(arguments, 0, globals, c); });
    });
    run.wait_asynchronous();
  } catch (physl::failure& f) {
    found.failed = std::move(f);
  }
  if (what.random) found.random = run.services().random();
  return found;
}

} // namespace treadle::tree

namespace treadle::physl {

node_profile program::state::profile_of(std::uint32_t i) {
  const auto& n = *code->pre_order[i];
  const auto& s = statistics[i];
  const auto nanoseconds = [](const detail::atomic<std::uint64_t>& ticks) {
    return static_cast<std::uint64_t>(
        detail::ticks_to_ns(static_cast<std::int64_t>(ticks.load(detail::order::relaxed))));
  };
  node_profile p;
  p.name = full_name(n);
  p.display = display_name(n);
  p.primitive = n.primitive_name();
  p.line = n.where().line;
  p.column = n.where().column;
  p.parent = code->parents[i];
  p.count = s.count.load(detail::order::relaxed);
  p.inclusive_ns = nanoseconds(s.inclusive);
  p.self_ns = nanoseconds(s.self);
  p.spawned = std::min(s.spawned.load(detail::order::relaxed), p.count);
  p.inlined = p.count - p.spawned;
  p.mode = mode_of(n, s);
  instance_search* const all = searches_or_null();
  p.why = why(s, all ? &all[i] : nullptr);
  return p;
}

std::vector<node_profile> program::profile() const {
  std::vector<node_profile> all;
  all.reserve(m_state->size());
  for (std::uint32_t i = 0; i < m_state->size(); ++i) all.push_back(m_state->profile_of(i));
  return all;
}

void program::reset_profile() const {
  m_state->counted->reset();
  for (std::size_t i = 0; i < m_state->size(); ++i) {
    auto& s = m_state->statistics[i];
    for (auto* counter : {&s.self, &s.spawned, &s.part, &s.threshold}) counter->store(0, detail::order::relaxed);
    s.mode.store(static_cast<std::int8_t>(inline_mode::undecided), detail::order::relaxed);
    s.last_inlined.store(false, detail::order::relaxed);
    s.by.store(nullptr, detail::order::relaxed);
    const detail::scoped_lock guard(s.lock);
    s.cost = {};
  }
  m_state->split.forget();
  m_state->starts_on_worker.store(false, detail::order::relaxed);
  detail::scoped_lock guard(m_state->searches_lock);
  for (std::size_t i = 0; m_state->searches && i < m_state->size(); ++i) m_state->searches[i].forget();
}

timeline program::timeline() const {
  detail::scoped_lock guard(m_state->timeline_lock);
  return m_state->latest_timeline;
}

splitting_report program::splitting() const {
  const auto in_ns = [](std::uint64_t ticks) {
    return static_cast<double>(detail::ticks_to_ns(static_cast<std::int64_t>(ticks)));
  };
  const auto& split = m_state->split;
  const auto threshold = split.threshold();
  return {threshold >= splitting::k_never ? std::numeric_limits<double>::infinity() : in_ns(threshold), split.windows(),
          split.deciding_ns()};
}

std::vector<parallelism_note> program::parallelism() const {
  auto notes = m_state->code->parallelism;
  for (auto& note : notes)
    if (note.parallel)
      note.decision =
          why_region(*m_state->code->pre_order[note.node], m_state->all_statistics(), m_state->searches_or_null());
  return notes;
}

const std::string& program::instance() const noexcept { return m_state->instance.text(); }

void program::not_run(const char* why) const {
  if (!m_state->code->exchanges) return;
  run_exchanges(m_state->code->identity, nullptr).fail(why);
}

bool program::uses_localities() const { return m_state->code->uses_localities; }

std::string program::text() const { return print(m_state->syntax); }

std::string program::dot() const {
  const auto& code = *m_state->code;
  std::string text = "graph " + detail::quote(m_state->name) + " {\n";
  for (std::size_t i = 0; i < m_state->size(); ++i) {
    const auto name = detail::quote(full_name(*code.pre_order[i]));
    if (code.parents[i] < 0)
      text += "    " + name + ";\n";
    else
      text += "    " + detail::quote(full_name(*code.pre_order[static_cast<std::size_t>(code.parents[i])])) + " -- " +
              name + ";\n";
  }
  return text + "}\n";
}

std::string program::newick() const {
  // Children precede their parent: (a,b) parent; a stack of nodes to open and close instead of recursion.
  std::string text;
  for (const node* root : m_state->code->roots) {
    std::vector<std::pair<const node*, bool>> open{{root, false}};
    while (!open.empty()) {
      const auto [n, closing] = open.back();
      open.pop_back();
      const auto operands = n->operands();
      if (closing || operands.empty()) {
        if (closing) text += ") ";
        text += full_name(*n);
        if (!open.empty() && !open.back().second) text += ",";
        continue;
      }
      text += "(";
      open.emplace_back(n, true);
      for (auto o = operands.rbegin(); o != operands.rend(); ++o) open.emplace_back(*o, false);
    }
    text += ";\n";
  }
  return text;
}

std::string program::counters_csv() const {
  std::string text = "primitive_instance,display_name,count,time,eval_direct\n";
  for (const auto& p : profile())
    text += detail::quote(p.name) + "," + detail::quote(p.display) + "," + std::to_string(p.count) + "," +
            std::to_string(p.inclusive_ns) + "," + std::to_string(static_cast<int>(p.mode)) + "\n";
  return text;
}

std::vector<std::string_view> primitive_names() {
  auto names = form_names();
  for (const auto* p : all_primitives()) names.push_back(p->name);
  std::sort(names.begin(), names.end());
  return names;
}

} // namespace treadle::physl
