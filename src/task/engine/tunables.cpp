#include "task/engine/tunables.hpp"

#include <charconv>
#include <memory>
#include <stdexcept>

namespace treadle::detail {

std::string tunable_ns::knob_value() const { return std::to_string(std::int64_t{*this}); }
std::string tunable_ns::knob_values() const {
  return std::to_string(m_least) + " to " + std::to_string(k_most) + " ns";
}

void tunable_ns::set_from_text(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || value < m_least || value > k_most)
    throw std::invalid_argument("knob '" + std::string(m_name) + "' cannot be " + std::string(text) +
                                ": its values are " + knob_values());
  m_value.store(value, order::relaxed);
  trace_knob(*this);
}

} // namespace treadle::detail
