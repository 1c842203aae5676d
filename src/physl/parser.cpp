// Operator-precedence parser with an explicit stack: nesting in the text uses heap, never the call stack.
#include "physl/ast.hpp"
#include "physl/lexer.hpp"

#include <algorithm>
#include <limits>

namespace treadle::physl {
namespace {

constexpr operator_info k_operators[] = {
    {"||", "__or", 1}, {"&&", "__and", 2},  {"==", "__eq", 3}, {"!=", "__ne", 3},  {"<", "__lt", 4},  {"<=", "__le", 4},
    {">", "__gt", 4},  {">=", "__ge", 4},   {"+", "__add", 5}, {"-", "__sub", 5},  {"*", "__mul", 6}, {"/", "__div", 6},
    {"%", "__mod", 6}, {"-", "__minus", 0}, {"!", "__not", 0}, {"+", "__plus", 0},
};

class parser {
 public:
  explicit parser(std::string_view text) : m_lexer(text), m_next(m_lexer.next()) {}

  ast run() {
    while (m_next.kind != token_kind::end || !m_frames.empty()) {
      if (m_operand_expected)
        read_operand();
      else
        read_operator();
    }
    if (!m_operand_expected)
      finish_expression();
    else if (!m_operators.empty())
      fail_operand();
    return std::move(m_tree);
  }

 private:
  struct pending_operator {
    const operator_info* info;
    place where;
  };
  // An opened parenthesis: of a call, a list, or a sub-expression (name empty, no node).
  struct frame {
    bool groups = false;
    ast_node node;
    std::size_t operator_base = 0;
  };

  token take() { return std::exchange(m_next, m_lexer.next()); }

  [[noreturn]] void fail_operand() const {
    throw failure("expected an expression, found " + describe(m_next), m_next.where);
  }

  void push_operand(ast_node node) {
    for (auto operand : node.operands) node.depth = std::max(node.depth, m_tree.nodes[operand].depth + 1);
    if (node.depth > k_max_nesting)
      throw failure("expressions may nest " + std::to_string(k_max_nesting) + " levels deep, not more", node.where);
    m_tree.nodes.push_back(std::move(node));
    m_operands.push_back(static_cast<ast_index>(m_tree.nodes.size() - 1));
    m_operand_expected = false;
  }

  void push_literal(value v, place where) {
    ast_node node;
    node.where = where;
    node.literal = std::move(v);
    push_operand(std::move(node));
  }

  void open(frame f) {
    f.operator_base = m_operators.size();
    m_frames.push_back(std::move(f));
    m_operand_expected = true;
    if (m_next.is(")") && !m_frames.back().groups) close();
  }

  void close() {
    m_next = m_lexer.next();
    auto f = std::move(m_frames.back());
    m_frames.pop_back();
    if (!f.groups) push_operand(std::move(f.node));
    m_operand_expected = false;
  }

  void read_operand() {
    if (m_next.kind == token_kind::punctuation) {
      if (const auto* prefix = find_operator(m_next.text, true)) {
        const auto sign = take();
        const bool number = m_next.kind == token_kind::integer || m_next.kind == token_kind::real;
        if (sign.is("-") && number) return push_number(take(), true, sign.where);
        m_operators.push_back({prefix, sign.where});
      } else if (m_next.is("(") || m_next.is("'(")) {
        frame f;
        f.groups = m_next.is("(");
        f.node.kind = ast_kind::list;
        f.node.where = take().where;
        open(std::move(f));
      } else if (m_next.is("[")) {
        const auto where = m_next.where;
        push_literal(read_array(), where);
      } else {
        fail_operand();
      }
      return;
    }
    switch (m_next.kind) {
    case token_kind::identifier:
      return read_name();
    case token_kind::integer:
    case token_kind::real: {
      const auto where = m_next.where;
      return push_number(take(), false, where);
    }
    case token_kind::string: {
      auto t = take();
      return push_literal(value(t.string), t.where);
    }
    default:
      unfinished();
    }
  }

  void read_name() {
    auto t = take();
    ast_node node;
    node.where = t.where;
    node.name = t.text;
    node.tags = t.tags;
    node.tag_count = t.tag_count;
    const bool attributed = m_next.is("{");
    if (attributed) {
      node.attribute = m_lexer.attribute(m_next.where);
      m_next = m_lexer.next();
    }
    if (m_next.is("(")) {
      m_next = m_lexer.next();
      node.kind = ast_kind::call;
      return open({false, std::move(node), 0});
    }
    if (attributed) throw failure("an attribute must be followed by '(', found " + describe(m_next), m_next.where);
    node.kind = ast_kind::name;
    push_operand(std::move(node));
  }

  void read_operator() {
    if (m_next.kind == token_kind::punctuation) {
      if (const auto* info = find_operator(m_next.text, false)) {
        reduce(info->precedence);
        m_operators.push_back({info, take().where});
        m_operand_expected = true;
        return;
      }
      if (!m_frames.empty() && (m_next.is(",") || m_next.is(")"))) {
        auto& f = m_frames.back();
        reduce(0);
        if (!f.groups) {
          f.node.operands.push_back(m_operands.back());
          m_operands.pop_back();
        } else if (m_next.is(",")) {
          throw failure("',' inside a parenthesised expression: a list is '(a, b)", m_next.where);
        }
        if (m_next.is(")")) return close();
        m_next = m_lexer.next();
        m_operand_expected = true;
        return;
      }
      if (m_next.is(")")) throw failure("')' without a matching '('", m_next.where);
      if (m_next.is(",")) throw failure("',' outside of a call or list", m_next.where);
    }
    if (!m_frames.empty()) unfinished();
    finish_expression(); // juxtaposition starts the next top-level expression
  }

  [[noreturn]] void unfinished() const {
    if (m_frames.empty()) fail_operand();
    const auto& f = m_frames.back();
    const auto what = f.node.kind == ast_kind::call ? "the arguments of '" + f.node.name + "'"
                      : f.groups                    ? std::string("'('")
                                                    : std::string("the list '('");
    throw failure("expected " +
                      std::string(m_operand_expected ? "an expression"
                                  : f.groups         ? "')'"
                                                     : "',' or ')'") +
                      " to complete " + what + " opened at (" + std::to_string(f.node.where.line) + ", " +
                      std::to_string(f.node.where.column) + "), found " + describe(m_next),
                  m_next.where);
  }

  void finish_expression() {
    reduce(0);
    m_tree.roots.push_back(m_operands.back());
    m_operands.pop_back();
    m_operand_expected = true;
  }

  // Applies the pending operators of this parenthesis that bind at least as tightly; prefix operators always do.
  void reduce(int precedence) {
    const auto base = m_frames.empty() ? 0 : m_frames.back().operator_base;
    while (m_operators.size() > base) {
      const auto top = m_operators.back();
      if (top.info->precedence != 0 && top.info->precedence < precedence) return;
      m_operators.pop_back();
      ast_node node;
      node.kind = ast_kind::call;
      node.name = top.info->name;
      node.where = top.where;
      const std::size_t count = top.info->precedence == 0 ? 1 : 2;
      node.operands.assign(m_operands.end() - static_cast<std::ptrdiff_t>(count), m_operands.end());
      m_operands.resize(m_operands.size() - count);
      push_operand(std::move(node));
    }
  }

  static value number(const token& t, bool negative) {
    if (t.kind == token_kind::real) return negative ? -t.real : t.real;
    if (!negative && t.integer == std::uint64_t(1) << 63) throw failure("integer out of the range of int64", t.where);
    return static_cast<std::int64_t>(negative ? std::uint64_t(0) - t.integer : t.integer);
  }

  void push_number(const token& t, bool negative, place where) { push_literal(number(t, negative), where); }

  // Elements of an array literal in row-major order; its shape is that of the first path down.
  struct array_reader {
    extents shape;
    std::vector<value> elements;
  };

  value read_array() {
    array_reader reader;
    read_axis(reader, 0);
    const bool empty = reader.elements.empty();
    const auto values = value::list(std::move(reader.elements)).to_array();
    return (empty ? array::zeros(dtype::float64, reader.shape) : values).reshape(reader.shape);
  }

  void read_axis(array_reader& reader, std::size_t depth) {
    const auto opened = take().where;
    if (depth == k_max_rank) throw failure("array literals have at most 4 dimensions", opened);
    const bool first = depth == reader.shape.rank();
    if (first) {
      if (!reader.elements.empty()) throw failure("array literal mixes numbers and rows", opened);
      reader.shape.push_back(0);
    }
    std::int64_t count = 0;
    while (!m_next.is("]")) {
      if (count > 0) {
        if (!m_next.is(","))
          throw failure("expected ',' or ']' in an array literal, found " + describe(m_next), m_next.where);
        m_next = m_lexer.next();
      }
      if (m_next.is("[")) {
        if (depth + 1 == reader.shape.rank() && (count > 0 || !first))
          throw failure("array literal mixes numbers and rows", m_next.where);
        read_axis(reader, depth + 1);
      } else {
        if (depth + 1 != reader.shape.rank()) throw failure("array literal mixes numbers and rows", m_next.where);
        reader.elements.push_back(read_element());
      }
      ++count;
    }
    if (first && reader.shape[depth] == 0) reader.shape[depth] = count;
    if (reader.shape[depth] != count)
      throw failure("rows of an array literal differ in length: " + std::to_string(reader.shape[depth]) + " and " +
                        std::to_string(count),
                    opened);
    m_next = m_lexer.next();
  }

  value read_element() {
    const bool negative = m_next.is("-");
    const bool sign = negative || m_next.is("+");
    if (sign) m_next = m_lexer.next();
    value v;
    if (m_next.kind == token_kind::integer || m_next.kind == token_kind::real) {
      v = number(m_next, negative);
    } else if (m_next.kind == token_kind::identifier && m_next.tag_count == 0) {
      constexpr double k_inf = std::numeric_limits<double>::infinity();
      const auto name = m_next.text;
      if (!sign && (name == "true" || name == "false"))
        v = name == "true";
      else if (name == "inf" || name == "ninf")
        v = negative != (name == "ninf") ? -k_inf : k_inf;
      else if (name == "nan")
        v = std::numeric_limits<double>::quiet_NaN();
    }
    if (v.is_nil()) throw failure("expected a number in an array literal, found " + describe(m_next), m_next.where);
    m_next = m_lexer.next();
    return v;
  }

  lexer m_lexer;
  token m_next;
  ast m_tree;
  std::vector<ast_index> m_operands;
  std::vector<pending_operator> m_operators;
  std::vector<frame> m_frames;
  bool m_operand_expected = true;
};

bool same_node(const ast& a, ast_index x, const ast& b, ast_index y) {
  const auto &m = a.nodes[x], &n = b.nodes[y];
  return m.kind == n.kind && m.name == n.name && m.attribute == n.attribute && m.tag_count == n.tag_count &&
         m.tags == n.tags && m.literal == n.literal && m.operands.size() == n.operands.size();
}

} // namespace

const operator_info* find_operator(std::string_view symbol, bool prefix) noexcept {
  for (const auto& o : k_operators)
    if (o.symbol == symbol && (o.precedence == 0) == prefix) return &o;
  return nullptr;
}

const operator_info* find_operator_by_name(std::string_view name, std::size_t operands) noexcept {
  for (const auto& o : k_operators)
    if (o.name == name && operands == (o.precedence == 0 ? 1 : 2)) return &o;
  return nullptr;
}

bool operator==(const ast& a, const ast& b) {
  if (a.roots.size() != b.roots.size()) return false;
  std::vector<std::pair<ast_index, ast_index>> open;
  for (std::size_t i = 0; i < a.roots.size(); ++i) open.emplace_back(a.roots[i], b.roots[i]);
  while (!open.empty()) {
    const auto [x, y] = open.back();
    open.pop_back();
    if (!same_node(a, x, b, y)) return false;
    for (std::size_t i = 0; i < a.nodes[x].operands.size(); ++i)
      open.emplace_back(a.nodes[x].operands[i], b.nodes[y].operands[i]);
  }
  return true;
}

ast parse(std::string_view text) { return parser(text).run(); }

} // namespace treadle::physl
