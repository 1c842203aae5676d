// Which names a program defines, in which function, and how often they are written: everything the compiler must know
// before it meets the first use.
#pragma once

#include "physl/ast.hpp"
#include "tree/nodes/functions.hpp"
#include "tree/nodes/leaves.hpp"

#include <deque>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>

namespace treadle::tree {

using physl::ast;
using physl::ast_index;
using physl::ast_node;

struct variable {
  std::string name;
  std::uint32_t level = 0;    // of the function it belongs to; 0: the program itself
  std::uint32_t position = 0; // slot in that function's frames
  bool is_parameter = false;
  std::uint32_t writes = 0;          // definitions, stores and loops that set it, in the whole text
  function_code* function = nullptr; // what its latest definition binds, if that is a function
  // The compiler's progress:
  bool visible = false; // its definition has been passed: from here on it hides a primitive of that name
  struct sharing {
    bool rewritten = false;               // written where several executions are possible
    std::uint32_t last_definition = 0;    // order in which the compiler met them
    std::uint32_t first_concurrent = ~0u; // first use by code that may run in another task
  } uses;
  std::vector<variable_address*> addresses; // of all nodes that use it

  // Always bound to this one function: calls need not look at the variable.
  bool is_constant_function() const noexcept { return function && writes == 1; }
};

struct scope {
  scope* outer = nullptr;
  std::uint32_t level = 0;
  function_code* code = nullptr;
  std::map<std::string, variable*, std::less<>> names;

  variable* find_here(std::string_view name) const;
};

// A function in the syntax tree: define(f, a, b, body), define(f, lambda(...)) or lambda(a, b, body).
struct function_syntax {
  std::string name; // empty for a lambda
  std::span<const ast_index> parameters;
  ast_index body = 0;
};

bool is_call(const ast_node& n, std::string_view name);
// Of the forms that change something as Python does: __change, __update and __append.
bool is_change(const ast_node& n);
// True for the two define forms that bind a function. Throws failure when a function is malformed.
bool defines_function(const ast& tree, const ast_node& define);
function_syntax syntax_of_definition(const ast& tree, const ast_node& define);
function_syntax syntax_of_lambda(const ast& tree, const ast_node& lambda);
std::string parameter_name(const ast& tree, ast_index parameter);

class analysis {
 public:
  explicit analysis(const ast& tree);

  scope& global() noexcept { return *m_global; }
  scope& of_body(ast_index body) { return *m_scopes.at(body); } // of the function with that body
  std::deque<function_code>& functions() noexcept { return m_functions; }

 private:
  void declare(scope& s, const std::string& name, bool parameter, function_code* function);
  void scan(scope& s, std::span<const ast_index> roots);
  scope& enter(scope& outer, const function_syntax& f, place where);

  const ast& m_tree;
  std::deque<function_code> m_functions;
  std::deque<variable> m_variables;
  std::deque<scope> m_all_scopes;
  std::unordered_map<ast_index, scope*> m_scopes;
  scope* m_global;
};

} // namespace treadle::tree
