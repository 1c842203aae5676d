// Text and files.
#include "tree/nodes/primitive.hpp"
#include "tree/run/services.hpp"

#include "value/text.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

namespace treadle::tree {
namespace {

std::string joined(std::span<const value> args, std::string_view separator) {
  std::string text;
  for (std::size_t i = 0; i < args.size(); ++i) {
    if (i > 0) text += separator;
    text += to_string(args[i]);
  }
  return text;
}

value print(call_context& context, std::span<value> args) {
  context.services->write(joined(args, " ") + "\n");
  return {};
}

value string(call_context&, std::span<value> args) { return joined(args, ""); }

value assertion(call_context&, std::span<value> args) {
  if (!args[0].to_bool())
    throw value_error(error_kind::assertion,
                      argument(args, 1).is_nil() ? "assertion failed" : "assertion failed: " + to_string(args[1]));
  return {};
}

value read_table(call_context&, std::span<value> args) { return read_csv(std::string(args[0].to_string_view())); }

value write_table(call_context&, std::span<value> args) { // (name, vector or matrix)
  const std::string path(args[0].to_string_view());
  auto a = args[1].to_array();
  if (a.rank() > 2) throw value_error("only vectors and matrices can be written as a table");
  if (a.rank() < 2) a = a.reshape({a.rank() == 0 ? 1 : a.shape()[0], 1});
  std::string text;
  for (std::int64_t i = 0; i < a.shape()[0]; ++i)
    for (std::int64_t j = 0; j < a.shape()[1]; ++j)
      text +=
          to_string(detail::element(a, i * a.strides()[0] + j * a.strides()[1])) + (j + 1 < a.shape()[1] ? "," : "\n");
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "wb"), &std::fclose);
  if (!file || std::fwrite(text.data(), 1, text.size(), file.get()) != text.size() || std::fclose(file.release()) != 0)
    throw value_error(path + ": cannot be written: " + std::strerror(errno));
  return {};
}

} // namespace

std::span<const primitive> output_primitives() {
  static constexpr primitive k_table[] = {
      {"cout", "...", print, effect::ordered},
      {"debug", "...", print, effect::ordered},
      {"string", "...", string},
      {"assert", "condition, message=", assertion, effect::ordered},
      {"file_read_csv", "name", read_table, effect::ordered},
      {"file_write_csv", "name, a", write_table, effect::ordered},
  };
  return k_table;
}

} // namespace treadle::tree
