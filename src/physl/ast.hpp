// Syntax trees, stored flat: operands precede the nodes that use them, so every pass can be a loop and none can
// overflow.
#pragma once

#include "physl/failure.hpp"

#include <array>
#include <string>
#include <vector>

namespace treadle::physl {

using ast_index = std::uint32_t;

enum class ast_kind : std::uint8_t { literal, name, call, list }; // list: '( ... )

// Operators are calls too: a + b is __add(a, b), -a is __minus(a).
struct ast_node {
  ast_kind kind = ast_kind::literal;
  std::uint8_t tag_count = 0;
  std::array<std::int64_t, 2> tags{};
  place where;             // in the text that was parsed
  std::uint32_t depth = 1; // levels of nesting below and including this node
  std::string name;        // of a name or call
  std::string attribute;   // of a call: name{attribute}(...)
  value literal;
  std::vector<ast_index> operands;
};

struct ast {
  std::vector<ast_node> nodes;
  std::vector<ast_index> roots; // the top-level expressions in order
};

// Same trees, wherever they were written.
bool operator==(const ast& a, const ast& b);

// Deeper programs are refused, so that passes that do recurse need a bounded stack.
inline constexpr std::uint32_t k_max_nesting = 2000;

struct operator_info {
  std::string_view symbol, name;
  int precedence; // binary operators, loosest 1; 0 for prefix operators
};
const operator_info* find_operator(std::string_view symbol, bool prefix) noexcept;
const operator_info* find_operator_by_name(std::string_view name, std::size_t operands) noexcept;

ast parse(std::string_view text);   // throws failure
std::string print(const ast& tree); // canonical PhySL: minimal parentheses, one top-level expression per line at least

} // namespace treadle::physl
