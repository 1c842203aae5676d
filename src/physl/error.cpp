#include "physl/failure.hpp"

namespace treadle::physl {
namespace {

std::string position_text(std::uint32_t line, std::uint32_t column) {
  return "(" + std::to_string(line) + ", " + std::to_string(column) + ")";
}

std::string report(const error::parts& p) {
  std::string text = p.file;
  if (p.line != 0) text += position_text(p.line, p.column);
  text += ": " + p.message;
  if (!p.source_line.empty()) {
    constexpr std::size_t k_width = 100; // of the excerpt around the place
    const std::size_t caret = std::min<std::size_t>(p.column > 0 ? p.column - 1 : 0, p.source_line.size());
    const std::size_t begin = caret > k_width * 2 / 3 ? caret - k_width * 2 / 3 : 0;
    text += "\n    " + p.source_line.substr(begin, k_width) + "\n    ";
    for (std::size_t i = begin; i < caret; ++i) text += p.source_line[i] == '\t' ? '\t' : ' ';
    text += '^';
  }
  for (const auto& call : p.back_trace)
    text += "\n  called from " + p.file + position_text(call.line, call.column) + ": " + call.function;
  if (p.omitted_calls != 0) text += "\n  ... " + std::to_string(p.omitted_calls) + " more";
  return text;
}

std::string_view line_of(std::string_view source, std::uint32_t line) {
  for (std::uint32_t i = 1; i < line; ++i) {
    const auto end = source.find('\n');
    if (end == std::string_view::npos) return {};
    source.remove_prefix(end + 1);
  }
  auto text = source.substr(0, source.find('\n'));
  if (text.ends_with('\r')) text.remove_suffix(1);
  return text;
}

} // namespace

error::error(parts what_happened)
    : std::runtime_error(report(what_happened)), m_parts(std::make_shared<const parts>(std::move(what_happened))) {}

error to_error(const failure& f, const std::string& file, std::string_view source) {
  const auto quoted = f.where.line == 0 ? std::string_view() : line_of(source, f.where.line);
  return error({file, f.where.line, f.where.column, f.message, std::string(quoted), f.back_trace, f.omitted, f.kind});
}

} // namespace treadle::physl
