// Questions about values, the machine and the program's localities.
#include "tree/nodes/primitive.hpp"

#include <treadle/detail/own_locality.hpp>

#include <unistd.h>

namespace treadle::tree {
namespace {

value type_name(call_context&, std::span<value> args) { return to_string(args[0].kind()); }

value host_name(call_context&, std::span<value>) {
  char name[256] = {};
  gethostname(name, sizeof name - 1);
  return std::string_view(name);
}

value locality(call_context&, std::span<value>) { return detail::own_number.load(detail::order::relaxed); }
value locality_count(call_context&, std::span<value>) {
  return detail::number_of_localities.load(detail::order::relaxed);
}
value localities(call_context& context, std::span<value> args) {
  return value::range(0, locality_count(context, args).integer(), 1);
}

} // namespace

std::span<const primitive> information_primitives() {
  static constexpr primitive k_table[] = {
      {"__type", "x", type_name},
      {"hostname", "", host_name},
      {"find_here", "", locality},
      {"num_localities", "", locality_count},
      {"find_all_localities", "", localities},
  };
  return k_table;
}

} // namespace treadle::tree
