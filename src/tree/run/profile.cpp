#include "tree/run/profile.hpp"

namespace treadle::tree {

std::string full_name(const node& n) {
  std::string name = "/phylanx$0/" + std::string(n.primitive_name()) + "$" + std::to_string(n.sequence);
  if (!n.instance_name().empty()) name += "$" + n.instance_name();
  return name + "/0$" + std::to_string(n.where().line) + "$" + std::to_string(n.where().column);
}

std::string display_name(const node& n) {
  auto primitive = n.primitive_name();
  if (primitive.starts_with("__")) primitive.remove_prefix(2);
  std::string name(primitive);
  if (!n.instance_name().empty()) name += "/" + n.instance_name();
  return name + "/L#0(" + std::to_string(n.where().line) + ", " + std::to_string(n.where().column) + ")";
}

} // namespace treadle::tree
