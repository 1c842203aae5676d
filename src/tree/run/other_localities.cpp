#include "tree/run/other_localities.hpp"

#include <treadle/detail/own_locality.hpp>

#include <utility>

namespace treadle::tree {

other_localities& required_others() {
  auto* const all = others.load(detail::order::acquire);
  if (!all)
    throw value_error(error_kind::program, "array programs of this process do not reach other localities: its main() "
                                           "has no treadle::physl::over_localities");
  return *all;
}

namespace {
other_localities* needed_others() {
  return detail::number_of_localities.load(detail::order::relaxed) > 1 ? &required_others() : nullptr;
}
} // namespace

run_exchanges::run_exchanges(std::uint64_t program, const std::atomic<bool>* cancel)
    : m_others(needed_others()), m_run(m_others ? m_others->begin_run(program) : 0), m_cancel(cancel) {}

run_exchanges::~run_exchanges() {
  if (m_others) m_others->end_run(m_run, std::move(m_why));
}

void run_exchanges::fail(const char* why) noexcept {
  try {
    m_why = why;
  } catch (...) {
    m_why = "no memory"; // which needs none
  }
}

std::vector<value> run_exchanges::all_gather(std::string_view operation, const value& own) {
  if (!m_others) return {own};
  return m_others->all_gather(m_run, m_begun++, operation, own, m_cancel);
}

std::uint64_t run_exchanges::offer(std::string_view operation, const value& own) {
  if (m_others) m_others->offer(m_run, m_begun, operation, own);
  return m_begun++;
}

value run_exchanges::take(std::string_view operation, std::uint64_t number, unsigned from) {
  return m_others->take(m_run, number, operation, from, m_cancel);
}

} // namespace treadle::tree
