// The reader of numeric tables. Locale-independent, one pass over the whole file in memory.
#include <treadle/arrays/value.hpp>

#include "value/text.hpp"

#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>

namespace treadle {
namespace {

std::string read_file(const std::string& path) {
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"), &std::fclose);
  if (!file) throw value_error(path + ": cannot be opened: " + std::strerror(errno));
  std::string text;
  char block[1 << 16];
  while (auto count = std::fread(block, 1, sizeof block, file.get())) text.append(block, count);
  if (std::ferror(file.get())) throw value_error(path + ": cannot be read: " + std::strerror(errno));
  return text;
}

std::string_view trim(std::string_view s) {
  constexpr std::string_view k_blank = " \t\r";
  const auto first = s.find_first_not_of(k_blank);
  return first == std::string_view::npos ? std::string_view()
                                         : s.substr(first, s.find_last_not_of(k_blank) - first + 1);
}

// True when the whole field is a number, perhaps in quotes; what is no finite float64 parses but is refused later.
bool parse_number(std::string_view field, double& number) {
  if (field.size() > 2 && field.front() == '"' && field.back() == '"') field = field.substr(1, field.size() - 2);
  if (field.starts_with('+') && !field.starts_with("+-")) field.remove_prefix(1);
  auto [end, problem] = std::from_chars(field.data(), field.data() + field.size(), number);
  if (problem == std::errc::result_out_of_range) // too large, or so small that it is 0: only strtod tells
    number = std::strtod(std::string(field).c_str(), nullptr);
  else if (problem != std::errc())
    return false;
  return end == field.data() + field.size();
}

struct reader {
  const std::string& path;
  std::size_t line = 0;    // 1-based, of the line being read
  std::size_t columns = 0; // of the first data line
  std::vector<double> numbers{};

  [[noreturn]] void fail(std::string_view text, const char* field_begin, const std::string& problem) const {
    const auto column = static_cast<std::size_t>(field_begin - text.data()) + 1;
    throw value_error(path + "(" + std::to_string(line) + ", " + std::to_string(column) + "): " + problem);
  }

  template <class F>
  static void for_each_field(std::string_view text, F&& f) {
    for (std::size_t begin = 0;;) {
      const auto end = text.find(',', begin);
      f(text.substr(begin, end == std::string_view::npos ? end : end - begin));
      if (end == std::string_view::npos) return;
      begin = end + 1;
    }
  }

  // Whether some field is text. A row that merely lacks numbers is no header but a defect.
  static bool is_header(std::string_view text) {
    bool found = false;
    for_each_field(text, [&](std::string_view field) {
      double number = 0;
      found = found || (!trim(field).empty() && !parse_number(trim(field), number));
    });
    return found;
  }

  void read_row(std::string_view text) {
    std::size_t count = 0;
    for_each_field(text, [&](std::string_view raw) {
      const auto field = trim(raw);
      double number = 0;
      if (field.empty()) fail(text, raw.data(), "empty field");
      if (!parse_number(field, number))
        fail(text, field.data(), detail::quote(field.substr(0, 40)) + " is not a number");
      if (!std::isfinite(number))
        fail(text, field.data(), detail::quote(field) + " is not allowed: numbers must be finite");
      if (++count > columns && columns != 0)
        fail(text, field.data(), "more than the " + std::to_string(columns) + " columns of the first row");
      numbers.push_back(number);
    });
    if (columns == 0) columns = count;
    if (count < columns)
      fail(text, text.data() + text.size(),
           "the row has " + std::to_string(count) + " columns, the first one has " + std::to_string(columns));
  }
};

} // namespace

array read_csv(const std::string& path) {
  const auto content = read_file(path);
  std::string_view rest = content;
  if (rest.starts_with("\xef\xbb\xbf")) rest.remove_prefix(3); // byte order mark
  reader r{path};
  std::size_t blank_line = 0;
  while (!rest.empty()) {
    ++r.line;
    const auto end = rest.find('\n');
    auto text = rest.substr(0, end);
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
    if (trim(text).empty()) {
      if (blank_line == 0) blank_line = r.line;
      continue;
    }
    if (text.find('\0') != std::string_view::npos) throw value_error(path + ": is not a text file");
    if (blank_line != 0 && r.columns != 0) {
      r.line = blank_line;
      r.fail(text, text.data(), "empty line inside the table");
    }
    const bool header_possible = r.line == 1 && !rest.empty();
    if (header_possible && reader::is_header(text)) continue;
    r.read_row(text);
  }
  if (r.numbers.empty()) throw value_error(path + ": holds no numbers");
  const auto columns = static_cast<std::int64_t>(r.columns);
  return array::of<double>({static_cast<std::int64_t>(r.numbers.size()) / columns, columns}, r.numbers);
}

} // namespace treadle
