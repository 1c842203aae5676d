// Questions about values and the machine, and annotations that change nothing.
#include "tree/nodes/primitive.hpp"

#include <unistd.h>

namespace treadle::tree {
namespace {

value type_name(call_context&, std::span<value> args) { return to_string(args[0].kind()); }

value host_name(call_context&, std::span<value>) {
  char name[256] = {};
  gethostname(name, sizeof name - 1);
  return std::string_view(name);
}

// A program runs in one process: locality 0 of 1.
value locality(call_context&, std::span<value>) { return 0; }
value locality_count(call_context&, std::span<value>) { return 1; }
value localities(call_context&, std::span<value>) { return value::list({value(0)}); }

value first_argument(call_context&, std::span<value> args) { return args[0]; }

} // namespace

std::span<const primitive> information_primitives() {
  static constexpr primitive k_table[] = {
      {"__type", "x", type_name},
      {"hostname", "", host_name},
      {"find_here", "", locality},
      {"num_localities", "", locality_count},
      {"find_all_localities", "", localities},
      {"annotate", "x, ...", first_argument},
      {"annotate_d", "x, ...", first_argument},
  };
  return k_table;
}

} // namespace treadle::tree
