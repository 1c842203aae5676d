#include "tree/run/profile.hpp"

#include "observe/emit.hpp"

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

const char* node::name_for_traces() const noexcept {
  const char* known = m_name_for_traces.load(detail::order::relaxed); // any of equal ones will do
  if (known) return known;
  try {
    known = detail::kept_for_traces(full_name(*this)).data(); // a string's, so it ends with a null
  } catch (...) {                                             // no memory to keep it
    return "a primitive";
  }
  m_name_for_traces.store(known, detail::order::relaxed);
  return known;
}

} // namespace treadle::tree
