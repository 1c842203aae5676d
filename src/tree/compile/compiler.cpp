#include "tree/compile/compiler.hpp"

#include "base/suggestion.hpp"
#include "tree/compile/vocabulary.hpp"
#include "tree/nodes/forms.hpp"
#include "tree/nodes/placed.hpp"
#include "tree/nodes/primitive_node.hpp"

#include <algorithm>
#include <charconv>
#include <set>

namespace treadle::tree {
namespace {

using physl::ast_kind;

// Where an expression stands: return, break and continue are statements and may not be part of a computation.
struct position {
  bool can_return = false, can_break = false;
};

class compiler {
 public:
  compiler(const ast& tree, analysis& names) : m_tree(tree), m_names(names), m_scope(&names.global()) {}

  std::unique_ptr<compiled> run() {
    m_names.global().find_here("sys_argv")->visible = true;
    m_result->arguments_slot = m_names.global().find_here("sys_argv")->position;
    for (auto root : m_tree.roots) m_result->roots.push_back(compile(root, {}));
    for (auto* v : m_used) settle_sharing(*v);
    m_result->functions.swap(m_names.functions());
    return std::move(m_result);
  }

 private:
  template <class Node, class... Args>
  Node* make(Args&&... args) {
    auto owned = std::make_unique<Node>(std::forward<Args>(args)...);
    auto* n = owned.get();
    n->depth = m_depth;
    n->check_stack = n->ends_stretch();
    m_result->nodes.push_back(std::move(owned));
    return n;
  }

  const ast_node& at(ast_index i) const { return m_tree.nodes[i]; }

  // The place an identifier's tags name, else that of the tagged node around it, else where it stands in the text.
  place place_of(const ast_node& n) const {
    if (n.tag_count == 2) return {static_cast<std::uint32_t>(n.tags[0]), static_cast<std::uint32_t>(n.tags[1])};
    return m_tagged.line != 0 ? m_tagged : n.where;
  }

  node* compile(ast_index i, position p) {
    return with_room([&] { return compile_here(i, p); });
  }

  node* compile_here(ast_index i, position p) {
    const auto& n = at(i);
    const auto outer_tag = m_tagged;
    if (n.tag_count == 2) m_tagged = place_of(n);
    ++m_depth;
    node* result = compile_kind(n, p);
    --m_depth;
    m_tagged = outer_tag;
    return result;
  }

  node* compile_kind(const ast_node& n, position p) {
    switch (n.kind) {
    case ast_kind::literal:
      return make<literal_node>(n.literal, place_of(n));
    case ast_kind::name:
      return compile_name(n);
    case ast_kind::list:
      return primitive_call(n, *find_primitive("list"), "list", {});
    default:
      return compile_call(n, p);
    }
  }

  // Names ------------------------------------------------------------------------------------------------------------

  variable* find_variable(std::string_view name, bool visible_only) const {
    for (scope* s = m_scope; s; s = s->outer)
      if (auto* v = s->find_here(name); v && (v->visible || !visible_only)) return v;
    return nullptr;
  }

  [[noreturn]] void unknown(const ast_node& n, const char* what) const {
    std::set<std::string_view> candidates;
    for (scope* s = m_scope; s; s = s->outer)
      for (const auto& [name, v] : s->names) candidates.insert(name);
    for (const auto* p : all_primitives()) candidates.insert(p->name);
    for (auto name : form_names()) candidates.insert(name);
    throw failure(std::string("unknown ") + what + " '" + n.name + "'" + detail::suggestion(n.name, candidates),
                  place_of(n));
  }

  // Notes one use for the decision whether the variable needs a lock.
  variable_address use(variable& v, bool write, bool rewrite) {
    m_used.insert(&v);
    const bool concurrent = m_scope->level > v.level || m_region_level >= static_cast<std::int64_t>(v.level);
    ++m_order;
    if (concurrent) v.uses.first_concurrent = std::min(v.uses.first_concurrent, m_order);
    if (write) {
      v.uses.last_definition = m_order;
      if (rewrite || concurrent || m_loop_level == static_cast<std::int64_t>(m_scope->level)) v.uses.rewritten = true;
    }
    return {v.level, m_scope->level - v.level, v.position, false};
  }

  template <class Node>
  Node* track(variable& v, Node* n) {
    v.addresses.push_back(&n->address());
    return n;
  }

  // Several tasks may touch it, and not all writes come before all of that.
  void settle_sharing(variable& v) const {
    const bool concurrent = m_has_parallel && v.uses.first_concurrent != ~0u;
    const bool constant = !v.uses.rewritten && v.writes <= 1 && v.uses.last_definition < v.uses.first_concurrent;
    if (concurrent && !constant)
      for (auto* address : v.addresses) address->shared = true;
  }

  node* compile_name(const ast_node& n) {
    variable* v = find_variable(n.name, true);
    if (!v)
      if (auto constant = find_constant(n.name)) return make<literal_node>(*constant, place_of(n));
    if (!v) v = find_variable(n.name, false);
    if (!v) {
      if (const auto* p = find_primitive(n.name))
        return make<literal_node>(value::adopt(value_kind::function, new function_object(*p)), place_of(n));
      unknown(n, "name");
    }
    if (v->is_constant_function())
      return make<closure_node>("access-function", *v->function, place_of(n), m_scope->level - v->level);
    const auto* type = v->is_parameter ? "access-argument" : v->function ? "access-function" : "access-variable";
    return track(*v, make<variable_node>(type, v->name, place_of(n), use(*v, false, false)));
  }

  // Calls ------------------------------------------------------------------------------------------------------------

  node* compile_call(const ast_node& n, position p) {
    if (n.attribute.starts_with("L#")) return placed_call_to(n);
    if (is_binding_form(n.name)) return compile_binding_form(n, p);
    const bool builtin = n.attribute == "builtin"; // name{builtin}(...): not what the user defined
    if (!builtin)
      if (auto* v = find_variable(n.name, true)) return function_call(n, *v);
    if (const auto* f = find_form(n.name)) return compile_form(n, *f, p);
    if (const auto [found, cast] = find_primitive_or_cast(n.name); found)
      return primitive_call(n, *found, n.name, cast);
    if (!builtin)
      if (auto* v = find_variable(n.name, false)) return function_call(n, *v);
    unknown(n, "function");
  }

  void add_operands(node& to, std::span<const ast_index> operands) {
    for (auto operand : operands) to.add_operand(compile(operand, {}));
  }

  [[noreturn]] void wrong_count(const ast_node& n, std::size_t least, std::size_t most) const {
    std::string text = n.name + "() takes " + std::to_string(least);
    if (most == k_any_number)
      text += " or more";
    else if (most != least)
      text += " to " + std::to_string(most);
    text += most == 1 ? " argument, " : " arguments, ";
    throw failure(text + std::to_string(n.operands.size()) + " given", place_of(n));
  }

  // A keyword argument __arg(name, e), or null.
  const ast_node* keyword(ast_index operand) const {
    const auto& n = at(operand);
    if (!is_call(n, "__arg")) return nullptr;
    if (n.operands.size() != 2 || at(n.operands[0]).kind != ast_kind::name)
      throw failure("a keyword argument is written __arg(name, value)", n.where);
    return &n;
  }

  node* primitive_call(const ast_node& n, const primitive& p, std::string_view name, std::optional<dtype> cast) {
    const signature takes(p.signature);
    std::vector<node*> operands;
    bool keywords = false;
    for (auto operand : n.operands) {
      const auto* k = keyword(operand);
      if (!k) {
        if (keywords) throw failure("a positional argument follows keyword arguments", place_of(n));
        operands.push_back(compile(operand, {}));
        continue;
      }
      keywords = true;
      const auto& wanted = at(k->operands[0]).name;
      const auto found = std::find_if(takes.parameters.begin(), takes.parameters.end(),
                                      [&](const auto& parameter) { return parameter.name == wanted; });
      if (found == takes.parameters.end()) throw failure(n.name + "() has no argument '" + wanted + "'", place_of(*k));
      const auto position = static_cast<std::size_t>(found - takes.parameters.begin());
      if (operands.size() <= position) operands.resize(position + 1, nullptr);
      if (operands[position]) throw failure(n.name + "() got argument '" + wanted + "' twice", place_of(*k));
      operands[position] = compile(k->operands[1], {});
    }
    const auto most = takes.variadic ? k_any_number : takes.parameters.size();
    if (operands.size() > most || (operands.size() < takes.required && !keywords)) wrong_count(n, takes.required, most);
    for (std::size_t i = 0; i < std::max(operands.size(), takes.required); ++i) {
      const bool missing = i >= operands.size() || !operands[i];
      if (!missing) continue;
      if (i < takes.required)
        throw failure(n.name + "(): argument '" + std::string(takes.parameters[i].name) + "' is missing", place_of(n));
      operands[i] = make<literal_node>(takes.parameters[i].otherwise, place_of(n));
    }
    if (operands.empty() && p.name == "list" && !cast)
      return make<literal_node>(value::list({}), place_of(n)); // `:` of a slice
    auto* result = make<primitive_node>(p, name, place_of(n), cast, n.attribute);
    for (auto* operand : operands) result->add_operand(operand);
    return result;
  }

  node* function_call(const ast_node& n, variable& v) {
    if (v.is_constant_function()) return constant_call(n, *v.function, m_scope->level - v.level);
    const auto* type = v.is_parameter ? "access-argument" : "access-function";
    std::vector<node*> operands{track(v, make<variable_node>(type, v.name, place_of(n), use(v, false, false)))};
    std::vector<std::string> keywords;
    for (auto operand : n.operands) {
      const auto* k = keyword(operand);
      keywords.push_back(k ? at(k->operands[0]).name : "");
      operands.push_back(compile(k ? k->operands[1] : operand, {}));
    }
    auto* result = make<dynamic_call_node>(v.name, place_of(n));
    if (std::any_of(keywords.begin(), keywords.end(), [](const auto& k) { return !k.empty(); }))
      result->keywords = std::move(keywords);
    for (auto* operand : operands) result->add_operand(operand);
    return finish_call(result);
  }

  template <class Call>
  node* finish_call(Call* call) {
    call->check_stack = true;
    return call;
  }

  // `levels`: outwards to the frame that the code runs in.
  node* constant_call(const ast_node& n, const function_code& code, std::uint32_t levels) {
    std::vector<node*> operands;
    std::vector<std::uint32_t> positions;
    std::vector<bool> given(code.parameters.size());
    bool keywords = false;
    if (n.operands.size() > code.parameters.size()) wrong_count(n, code.required(), code.parameters.size());
    for (auto operand : n.operands) {
      const auto* k = keyword(operand);
      auto position = operands.size();
      if (k) {
        keywords = true;
        const auto& wanted = at(k->operands[0]).name;
        const auto found = std::find_if(code.parameters.begin(), code.parameters.end(),
                                        [&](const auto& parameter) { return parameter.name == wanted; });
        if (found == code.parameters.end()) throw failure(n.name + "() has no argument '" + wanted + "'", place_of(*k));
        position = static_cast<std::size_t>(found - code.parameters.begin());
      } else if (keywords) {
        throw failure("a positional argument follows keyword arguments", place_of(n));
      }
      if (given[position])
        throw failure(n.name + "() got argument '" + code.parameters[position].name + "' twice", place_of(n));
      given[position] = true;
      positions.push_back(static_cast<std::uint32_t>(position));
      operands.push_back(compile(k ? k->operands[1] : operand, {}));
    }
    for (std::size_t i = 0; i < given.size(); ++i)
      if (!given[i] && !code.parameters[i].optional) wrong_count(n, code.required(), code.parameters.size());
    auto* result = make<call_node>(code, place_of(n), levels);
    if (keywords) result->positions = std::move(positions);
    for (auto* operand : operands) result->add_operand(operand);
    return finish_call(result);
  }

  // name{L#1}(...): a primitive, or a function that is defined once and outside of all others.
  node* placed_call_to(const ast_node& n) {
    unsigned locality = 0;
    const std::string_view number = std::string_view(n.attribute).substr(2);
    const auto [end, trouble] = std::from_chars(number.data(), number.data() + number.size(), locality);
    if (number.empty() || trouble != std::errc() || end != number.data() + number.size())
      throw failure(n.name + "{" + n.attribute + "}: a place is written {L#1}, with the number of a locality",
                    place_of(n));
    const auto* v = find_variable(n.name, true);
    const auto p = v ? std::pair<const primitive*, std::optional<dtype>>() : find_primitive_or_cast(n.name);
    if (!v && !p.first) v = find_variable(n.name, false);
    if (!p.first && (!v || !v->is_constant_function() || v->level != 0))
      throw failure(n.name + "{" + n.attribute +
                        "}: only a primitive can be placed, or a function that is defined once "
                        "and outside of all others",
                    place_of(n));
    node* plain = p.first ? primitive_call(n, *p.first, n.name, p.second) : constant_call(n, *v->function, 0);
    if (plain->type() != node_class::strict) return plain; // an empty list
    auto owned = take_back<strict_node>();
    const auto operands = owned->take_operands();
    auto* result = make<placed_node>(std::move(owned), locality, m_scope->level, m_result->text);
    for (auto* operand : operands) result->add_operand(operand);
    m_result->has_placed_calls = true;
    return finish_call(result);
  }
  // The node that was made last: it is to be a part of another one.
  template <class Node>
  std::unique_ptr<Node> take_back() {
    auto owned = std::move(m_result->nodes.back());
    m_result->nodes.pop_back();
    return std::unique_ptr<Node>(static_cast<Node*>(owned.release()));
  }

  // Functions --------------------------------------------------------------------------------------------------------

  // Compiles parameters and body; their nodes become operands of `owner`, so that the tree shows them below it.
  void compile_function(node& owner, const function_syntax& f, bool can_break) {
    auto& inner = m_names.of_body(f.body);
    auto* outer_scope = std::exchange(m_scope, &inner);
    const auto outer_loop = std::exchange(m_loop_level, -1);
    for (std::size_t i = 0; i < f.parameters.size(); ++i) {
      const auto& parameter = at(f.parameters[i]);
      if (parameter.kind == ast_kind::call) {
        auto* otherwise = compile(parameter.operands[1], {});
        inner.code->parameters[i].otherwise = otherwise;
        owner.add_operand(otherwise);
      }
      inner.find_here(inner.code->parameters[i].name)->visible = true;
    }
    inner.code->body = compile(f.body, {true, can_break});
    owner.add_operand(inner.code->body);
    m_loop_level = outer_loop;
    m_scope = outer_scope;
  }

  node* compile_lambda(const ast_node& n, bool can_break) {
    const auto f = syntax_of_lambda(m_tree, n);
    auto* result = make<closure_node>("lambda", *m_names.of_body(f.body).code, place_of(n), 0);
    compile_function(*result, f, can_break);
    return result;
  }

  const ast_node& target_name(const ast_node& n, const char* form_name) const {
    if (n.operands.empty() || at(n.operands[0]).kind != ast_kind::name)
      throw failure(std::string(form_name) + " needs a variable name first", place_of(n));
    return at(n.operands[0]);
  }

  node* compile_define(const ast_node& n) {
    const auto& name = target_name(n, "define");
    auto& v = *m_scope->find_here(name.name);
    if (n.operands.size() == 1)
      return assignment(n, "define-variable", v, make<literal_node>(make_signal(signal::undefined), place_of(n)));
    if (!defines_function(m_tree, n)) return assignment(n, "define-variable", v, n.operands[1]);
    const auto f = syntax_of_definition(m_tree, n);
    v.visible = true; // a function may call itself
    if (v.is_constant_function()) {
      auto* result = make<definition_node>(*v.function, place_of(n));
      compile_function(*result, f, false);
      return result;
    }
    auto* closure = make<closure_node>("function", *m_names.of_body(f.body).code, place_of(n), 0);
    compile_function(*closure, f, false);
    auto* result = track(v, make<assignment_node>("define-variable", v.name, place_of(n), use(v, true, false)));
    result->add_operand(closure);
    return result;
  }

  // Variables --------------------------------------------------------------------------------------------------------

  node* assignment(const ast_node& n, const char* primitive, variable& v, ast_index e) {
    return assignment(n, primitive, v, compile(e, {}));
  }

  node* assignment(const ast_node& n, const char* primitive, variable& v, node* x) {
    auto* result = track(v, make<assignment_node>(primitive, v.name, place_of(n), use(v, true, false)));
    v.visible = true;
    result->add_operand(x);
    return result;
  }

  node* compile_define_global(const ast_node& n) {
    const auto& name = target_name(n, "define_global");
    if (n.operands.size() != 2)
      throw failure("define_global(" + name.name + ", e) takes a name and a value", place_of(n));
    return assignment(n, "define-global-variable", *m_names.global().find_here(name.name), n.operands[1]);
  }

  // store(target, e), and Python's changes: __change(target, e, list(what may be dropped), list(what may be shared)).
  node* compile_store(const ast_node& n) {
    const bool python = is_change(n);
    if (n.operands.size() < 2 || n.operands.size() > (python ? 4u : 2u))
      throw failure(n.name + "(target, e) takes a target and a value", place_of(n));
    std::vector<const ast_node*> slices; // from the outside in
    const auto* target = &at(n.operands[0]);
    while (target->kind == ast_kind::call) {
      if (!is_slice(*target))
        throw failure("cannot store into '" + target->name + "(...)': only variables and slices of them",
                      place_of(*target));
      slices.insert(slices.begin(), target);
      target = &at(target->operands[0]);
    }
    if (target->kind != ast_kind::name)
      throw failure(n.name + " needs a variable, or a slice of one, first", place_of(n));
    auto& v = written_variable(*target);
    if (slices.empty() && (!python || n.name == "__change")) {
      auto* x = compile(n.operands[1], {});
      auto* result = track(v, make<assignment_node>("store", v.name, place_of(n), use(v, true, true)));
      result->add_operand(x);
      return result;
    }
    std::vector<node*> operands{compile(n.operands[1], {})};
    std::vector<index_group> groups;
    for (const auto* slice : slices) {
      const auto before = operands.size();
      if (slice->name == "slice_column") operands.push_back(make<literal_node>(value(), place_of(*slice)));
      for (auto index : std::span(slice->operands).subspan(1)) operands.push_back(compile(index, {}));
      const auto size = static_cast<std::uint32_t>(operands.size() - before);
      auto last = size; // slice{2}(x, i, j, k) is x[i][j, k]
      std::from_chars(slice->attribute.data(), slice->attribute.data() + slice->attribute.size(), last);
      groups.push_back({size, last});
    }
    const auto kind = !python                ? change_kind::value
                      : n.name == "__update" ? change_kind::update
                      : n.name == "__append" ? change_kind::append
                                             : change_kind::assign;
    auto* result =
        track(v, make<slice_assignment_node>(kind, v.name, place_of(n), use(v, true, true), std::move(groups)));
    if (n.operands.size() > 2) name_others(n.operands[2], result->dropped, true);
    if (n.operands.size() > 3) name_others(n.operands[3], result->watched, false);
    for (auto* operand : operands) result->add_operand(operand);
    return result;
  }

  // The variables of list(a, b, ...).
  void name_others(ast_index list, std::vector<variable_address>& to, bool dropped) {
    const auto& names = at(list).operands;
    to.reserve(names.size()); // their places are kept
    for (auto i : names) {
      auto& v = written_variable(at(i));
      to.push_back(use(v, dropped, dropped));
      v.addresses.push_back(&to.back());
    }
  }

  variable& written_variable(const ast_node& name) {
    variable* v = find_variable(name.name, true);
    if (!v) v = find_variable(name.name, false);
    if (v) return *v;
    std::set<std::string_view> candidates;
    for (scope* s = m_scope; s; s = s->outer)
      for (const auto& [known, unused] : s->names) candidates.insert(known);
    throw failure("unknown variable '" + name.name + "'" + detail::suggestion(name.name, candidates) +
                      ": variables are made by define(" + name.name + ", ...)",
                  place_of(name));
  }

  static bool is_slice(const ast_node& n) {
    for (std::string_view name : {"slice", "slice_row", "slice_column", "slice_page", "tuple_slice"})
      if (n.name == name && n.operands.size() >= 2) return true;
    return false;
  }

  node* compile_for_in(const ast_node& n, position p) {
    const auto& name = target_name(n, "for_in");
    if (n.operands.size() != 3) wrong_count(n, 3, 3);
    auto& v = *m_scope->find_here(name.name);
    auto* sequence = compile(n.operands[1], {});
    const auto outer_loop = std::exchange(m_loop_level, static_cast<std::int64_t>(m_scope->level));
    const auto address = use(v, true, true);
    v.visible = true;
    auto* body = compile(n.operands[2], {p.can_return, true});
    auto* result = track(v, make<for_in_node>(v.name, place_of(n), address)); // after its operands, as all nodes
    result->add_operand(sequence);
    result->add_operand(body);
    m_loop_level = outer_loop;
    return result;
  }

  node* compile_binding_form(const ast_node& n, position p) {
    if (n.name == "define") return compile_define(n);
    if (n.name == "define_global") return compile_define_global(n);
    if (n.name == "lambda") return compile_lambda(n, false);
    if (n.name == "store" || is_change(n)) return compile_store(n);
    if (n.name == "for_in") return compile_for_in(n, p);
    if (n.name == "return") return compile_return(n, p);
    if (n.name == "__arg")
      throw failure("__arg(name, value) may stand only among the arguments of a call or the parameters of a function",
                    place_of(n));
    if (!n.operands.empty()) wrong_count(n, 0, 0);
    if (!p.can_break) throw failure(n.name + "() must be a statement in the body of a loop", place_of(n));
    return make<form_node>(n.name, place_of(n), n.name == "break" ? execute_break : execute_continue);
  }

  node* compile_return(const ast_node& n, position p) {
    if (n.operands.size() > 1) wrong_count(n, 0, 1);
    if (!p.can_return)
      throw failure(m_scope->level == 0 ? "return() outside of a function"
                                        : "return() must be a statement, not part of an expression",
                    place_of(n));
    std::vector<node*> operands;
    for (auto operand : n.operands) operands.push_back(compile(operand, {}));
    auto* result = make<form_node>("return", place_of(n), execute_return);
    for (auto* operand : operands) result->add_operand(operand);
    return result;
  }

  node* compile_form(const ast_node& n, const form& f, position p) {
    if (n.operands.size() < f.least || n.operands.size() > f.most) wrong_count(n, f.least, f.most);
    const auto outer_loop = m_loop_level;
    const auto outer_region = m_region_level;
    if (f.operands == flow::loop) m_loop_level = static_cast<std::int64_t>(m_scope->level);
    if (f.operands == flow::parallel) {
      m_region_level = static_cast<std::int64_t>(m_scope->level);
      m_has_parallel = true;
    }
    std::vector<node*> operands;
    for (std::size_t i = 0; i < n.operands.size(); ++i) {
      position inner;
      const bool body = i + 1 == n.operands.size() && f.name != "for_each";
      if (f.operands == flow::statements || (f.operands == flow::branches && i > 0)) inner = p;
      if (f.operands == flow::loop && body) inner = {p.can_return, true};
      const bool loop_function = f.name == "for_each" && i == 0 && is_call(at(n.operands[i]), "lambda");
      operands.push_back(loop_function ? compile_lambda(at(n.operands[i]), true) : compile(n.operands[i], inner));
    }
    m_loop_level = outer_loop;
    m_region_level = outer_region;
    auto* result = make<form_node>(n.name, place_of(n), f.meaning, f.called);
    for (auto* operand : operands) result->add_operand(operand);
    return result;
  }

  const ast& m_tree;
  analysis& m_names;
  scope* m_scope;
  std::unique_ptr<compiled> m_result = std::make_unique<compiled>();
  place m_tagged;
  std::uint32_t m_depth = 0, m_order = 0;
  std::int64_t m_loop_level = -1;   // level of the function whose loop this is in
  std::int64_t m_region_level = -1; // level of the function whose parallel construct this is in
  bool m_has_parallel = false;
  std::set<variable*> m_used;
};

} // namespace

std::unique_ptr<compiled> compile(const ast& tree) {
  analysis names(tree);
  auto result = compiler(tree, names).run();
  link(*result);
  return result;
}

} // namespace treadle::tree
