#include "loop/decision.hpp"

#include "loop/short_name.hpp"

namespace treadle::loop {

std::string to_string(const context& c) {
  if (c.workers == 0) return c.label;
  const std::string workers = std::to_string(c.workers) + (c.workers == 1 ? " worker" : " workers");
  return c.label.empty() ? workers : c.label + ", " + workers;
}

void decision::trace(const char* what, const choice_names& names, arm at) const noexcept {
  try {
    const std::string kind(detail::k_decision_kinds[static_cast<std::size_t>(m_kind)]);
    const std::string text = kind + " of " + short_name(m_instance) + " " + what + ": " + names(at);
    detail::emit({.kind = detail::event_kind::decision, .name = detail::kept_for_traces(text)});
  } catch (...) { // no memory
  }
}

} // namespace treadle::loop
