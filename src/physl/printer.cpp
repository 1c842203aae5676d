#include "physl/ast.hpp"

#include <utility>
#include <variant>

namespace treadle::physl {
namespace {

constexpr std::size_t k_line_width = 100, k_indent = 4;

class printer {
 public:
  explicit printer(const ast& tree) : m_tree(tree), m_flat(tree.nodes.size()) {
    for (ast_index i = 0; i < tree.nodes.size(); ++i) m_flat[i] = flat_length(i);
  }

  // Top-level expressions stand side by side, so one that starts with a sign or '(' could be read as the continuation
  // of the one before it: those are wrapped.
  std::string run() {
    std::vector<std::string> texts;
    for (auto root : m_tree.roots) {
      emit(root);
      texts.push_back(std::exchange(m_out, {}));
    }
    for (std::size_t i = texts.size(); i-- > 1;) {
      const char first = texts[i].front();
      if (first == '-' || first == '+') texts[i] = "(" + texts[i] + ")";
      const char last = texts[i - 1].back();
      const bool closed = last == ')' || last == ']' || last == '"';
      if (texts[i].front() == '(' && !closed) texts[i - 1] = "(" + texts[i - 1] + ")";
    }
    std::string result;
    for (const auto& text : texts) result += text + '\n';
    return result;
  }

 private:
  struct piece { // of output still to be written
    std::variant<ast_index, std::string_view> what;
    std::size_t indent = 0;
    bool new_line = false; // start a line before it
  };

  const ast_node& node(ast_index i) const { return m_tree.nodes[i]; }

  // Infix or prefix form is possible only where it reads back as the same node.
  const operator_info* as_operator(ast_index i) const {
    const auto& n = node(i);
    if (n.kind != ast_kind::call || n.tag_count != 0 || !n.attribute.empty()) return nullptr;
    return find_operator_by_name(n.name, n.operands.size());
  }

  bool needs_parentheses(ast_index operand, const operator_info& parent, bool right) const {
    if (parent.precedence == 0 && node(operand).kind == ast_kind::literal) return true; // -(5) is not the literal -5
    const auto* inner = as_operator(operand);
    if (!inner || inner->precedence == 0) return false; // prefix binds tightest
    return parent.precedence == 0 || inner->precedence < parent.precedence ||
           (right && inner->precedence == parent.precedence);
  }

  std::string head(const ast_node& n) const {
    if (n.kind == ast_kind::literal) return repr(n.literal);
    std::string text = n.kind == ast_kind::list ? "'" : n.name;
    for (std::uint8_t i = 0; i < n.tag_count; ++i) text += "$" + std::to_string(n.tags[i]);
    if (!n.attribute.empty()) text += "{" + n.attribute + "}";
    return text;
  }

  std::size_t flat_length(ast_index i) const {
    const auto& n = node(i);
    std::size_t length = as_operator(i) ? 6 : head(n).size() + 2;
    for (auto operand : n.operands) length += m_flat[operand] + 2;
    return length;
  }

  void emit(ast_index root) {
    m_open.push_back({root});
    while (!m_open.empty()) {
      const auto p = m_open.back();
      m_open.pop_back();
      if (p.new_line) m_out.append("\n").append(p.indent, ' ');
      if (const auto* text = std::get_if<std::string_view>(&p.what))
        m_out += *text;
      else
        expand(std::get<ast_index>(p.what), p.indent);
    }
  }

  // Pushes the parts of a node in reverse.
  void expand(ast_index i, std::size_t indent) {
    const auto& n = node(i);
    std::vector<piece> parts;
    const auto operand = [&](std::size_t k, bool parentheses) {
      if (parentheses) parts.push_back({"(", indent});
      parts.push_back({n.operands[k], indent});
      if (parentheses) parts.push_back({")", indent});
    };
    if (const auto* op = as_operator(i)) {
      if (op->precedence == 0) {
        parts.push_back({op->symbol, indent});
        operand(0, needs_parentheses(n.operands[0], *op, true));
      } else {
        operand(0, needs_parentheses(n.operands[0], *op, false));
        parts.push_back({" ", indent});
        parts.push_back({op->symbol, indent});
        parts.push_back({" ", indent});
        operand(1, needs_parentheses(n.operands[1], *op, true));
      }
    } else {
      m_out += head(n);
      if (n.kind == ast_kind::literal || n.kind == ast_kind::name) return;
      const bool broken = indent + m_flat[i] > k_line_width && n.operands.size() > 0 && indent < k_line_width;
      parts.push_back({"(", indent});
      for (std::size_t k = 0; k < n.operands.size(); ++k) {
        if (k > 0) parts.push_back({broken ? "," : ", ", indent});
        parts.push_back({n.operands[k], broken ? indent + k_indent : indent, broken});
      }
      parts.push_back({")", indent});
    }
    m_open.insert(m_open.end(), parts.rbegin(), parts.rend());
  }

  const ast& m_tree;
  std::vector<std::size_t> m_flat; // length of each node on one line, slightly overestimated
  std::vector<piece> m_open;
  std::string m_out;
};

} // namespace

std::string print(const ast& tree) { return printer(tree).run(); }

std::string format(std::string_view text, std::string source_name) {
  try {
    return print(parse(text));
  } catch (const failure& f) {
    throw to_error(f, source_name, text);
  }
}

} // namespace treadle::physl
