#include "tree/compile/analysis.hpp"

namespace treadle::tree {

variable* scope::find_here(std::string_view name) const {
  const auto found = names.find(name);
  return found == names.end() ? nullptr : found->second;
}

bool is_call(const ast_node& n, std::string_view name) { return n.kind == physl::ast_kind::call && n.name == name; }

bool is_change(const ast_node& n) { return is_call(n, "__change") || is_call(n, "__update") || is_call(n, "__append"); }

bool defines_function(const ast& tree, const ast_node& define) {
  const auto& operands = define.operands;
  return operands.size() > 2 || (operands.size() == 2 && is_call(tree.nodes[operands[1]], "lambda"));
}

function_syntax syntax_of_lambda(const ast&, const ast_node& lambda) {
  if (lambda.operands.empty()) throw failure("lambda needs a body", lambda.where);
  const std::span<const ast_index> all = lambda.operands;
  return {"", all.first(all.size() - 1), all.back()};
}

function_syntax syntax_of_definition(const ast& tree, const ast_node& define) {
  const std::span<const ast_index> all = define.operands;
  auto f = all.size() == 2 ? syntax_of_lambda(tree, tree.nodes[all[1]])
                           : function_syntax{"", all.subspan(1, all.size() - 2), all.back()};
  f.name = tree.nodes[all[0]].name;
  return f;
}

std::string parameter_name(const ast& tree, ast_index parameter) {
  const auto& n = tree.nodes[parameter];
  if (n.kind == physl::ast_kind::name) return n.name;
  if (is_call(n, "__arg") && n.operands.size() == 2 && tree.nodes[n.operands[0]].kind == physl::ast_kind::name)
    return tree.nodes[n.operands[0]].name;
  throw failure("a parameter must be a name or __arg(name, default)", n.where);
}

analysis::analysis(const ast& tree) : m_tree(tree) {
  m_global = &m_all_scopes.emplace_back();
  m_global->code = &m_functions.emplace_back();
  declare(*m_global, "sys_argv", false, nullptr);
  for (const auto& n : tree.nodes) // a definition anywhere makes a global name known everywhere
    if (is_call(n, "define_global") && !n.operands.empty() && tree.nodes[n.operands[0]].kind == physl::ast_kind::name)
      declare(*m_global, tree.nodes[n.operands[0]].name, false, nullptr);
  scan(*m_global, tree.roots);
}

void analysis::declare(scope& s, const std::string& name, bool parameter, function_code* function) {
  auto& known = s.names[name];
  if (!known) {
    known = &m_variables.emplace_back();
    known->name = name;
    known->level = s.level;
    known->position = s.code->slots++;
    known->is_parameter = parameter;
  }
  if (!parameter) ++known->writes;
  known->function = function;
}

scope& analysis::enter(scope& outer, const function_syntax& f, place where) {
  auto& code = m_functions.emplace_back();
  code.name = f.name.empty() ? "lambda" : f.name;
  code.level = outer.level + 1;
  auto& inner = m_all_scopes.emplace_back();
  inner.outer = &outer;
  inner.level = code.level;
  inner.code = &code;
  m_scopes[f.body] = &inner;
  for (auto p : f.parameters) {
    const auto name = parameter_name(m_tree, p);
    if (inner.find_here(name)) throw failure("parameter '" + name + "' is given twice", where);
    declare(inner, name, true, nullptr);
    code.parameters.push_back({name, m_tree.nodes[p].kind == physl::ast_kind::call, nullptr});
  }
  return inner;
}

// Declares what these expressions define in `s`, and goes into the functions they contain. Iterative within a function,
// recursive from function to function; nesting is bounded by the parser, yet each level needs little stack.
void analysis::scan(scope& s, std::span<const ast_index> roots) {
  std::vector<ast_index> open(roots.rbegin(), roots.rend());
  std::vector<scope*> inner;
  std::vector<std::vector<ast_index>> inner_roots;
  const auto go_into = [&](const function_syntax& f, place where) -> function_code* {
    auto& in = enter(s, f, where);
    std::vector<ast_index> parts;
    for (auto p : f.parameters)
      if (is_call(m_tree.nodes[p], "__arg")) parts.push_back(m_tree.nodes[p].operands[1]);
    parts.push_back(f.body);
    inner.push_back(&in);
    inner_roots.push_back(std::move(parts));
    return in.code;
  };
  std::vector<const ast_node*> stores;
  while (!open.empty()) {
    const auto& n = m_tree.nodes[open.back()];
    open.pop_back();
    const bool named = !n.operands.empty() && m_tree.nodes[n.operands[0]].kind == physl::ast_kind::name;
    if (is_call(n, "define") && named) {
      const auto& name = m_tree.nodes[n.operands[0]].name;
      if (defines_function(m_tree, n)) {
        declare(s, name, false, go_into(syntax_of_definition(m_tree, n), n.where));
      } else {
        declare(s, name, false, nullptr);
        if (n.operands.size() == 2) open.push_back(n.operands[1]);
      }
    } else if (is_call(n, "lambda")) {
      go_into(syntax_of_lambda(m_tree, n), n.where);
    } else {
      if (is_call(n, "for_in") && named) declare(s, m_tree.nodes[n.operands[0]].name, false, nullptr);
      if ((is_call(n, "store") && n.operands.size() == 2) || is_change(n)) stores.push_back(&n);
      open.insert(open.end(), n.operands.rbegin(), n.operands.rend());
    }
  }
  for (const auto* store : stores) { // all names of this function are known now, and those of the functions around it
    if (store->operands.empty()) continue;
    const auto* target = &m_tree.nodes[store->operands[0]];
    while (target->kind == physl::ast_kind::call && !target->operands.empty())
      target = &m_tree.nodes[target->operands[0]];
    for (scope* at = &s; at; at = at->outer)
      if (auto* v = at->find_here(target->name)) {
        ++v->writes;
        break;
      }
  }
  for (std::size_t i = 0; i < inner.size(); ++i) scan(*inner[i], inner_roots[i]);
}

} // namespace treadle::tree
