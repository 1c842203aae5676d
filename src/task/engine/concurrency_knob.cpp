#include "task/engine/concurrency_knob.hpp"

#include "task/engine/scheduler.hpp"

#include <charconv>
#include <stdexcept>

namespace treadle::detail {
namespace {

/// Calls f(concurrency) for the current runtime; false when there is none.
template <class F>
bool visit_current(F f) {
  return visit_current_pools([](void* g, const auto& pools) { (*static_cast<F*>(g))(pools.front()->active); }, &f);
}

} // namespace

std::string concurrency_knob::knob_value() const {
  std::string text;
  const bool runs = visit_current([&](const concurrency& c) { text = std::to_string(c.present()); });
  if (runs) return text;
  const auto n = given();
  return n ? std::to_string(*n) : "all";
}

std::string concurrency_knob::knob_values() const {
  std::string text = "1 to the workers of all pools";
  visit_current([&](const concurrency& c) { text = "0 to " + std::to_string(c.maximum()); });
  return text;
}

void concurrency_knob::set_from_text(std::string_view text) {
  unsigned n = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), n);
  bool is_possible = error == std::errc{} && end == text.data() + text.size();
  if (is_possible && !visit_current([&](concurrency& c) {
        is_possible = n <= c.maximum();
        if (is_possible) c.grant(n);
      })) {
    is_possible = n > 0; // a program that cannot do anything from its start says nothing either
    if (is_possible) m_given.store(n, order::relaxed);
  }
  if (!is_possible)
    throw std::invalid_argument("knob 'runtime.concurrency' cannot be " + std::string(text) + ": its values are " +
                                knob_values());
}

std::optional<unsigned> concurrency_knob::given() const noexcept {
  const std::int64_t n = m_given.load(order::relaxed);
  return n < 0 ? std::nullopt : std::optional(static_cast<unsigned>(n));
}

} // namespace treadle::detail
