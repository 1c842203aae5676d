#pragma once

#include "observe/counter_name.hpp"

#include <treadle/observe/counters.hpp>

#include <stdexcept>

namespace treadle::detail {

/// What is behind a counters::counter.
class counter_state {
 public:
  explicit counter_state(counters::description about) : m_about(std::move(about)) {}
  virtual ~counter_state() = default;

  const counters::description& about() const noexcept { return m_about; }
  counters::reading read() const;

  /// Fills in the value and the ranges.
  virtual void read_into(counters::reading& result) const = 0;
  virtual void reset() = 0;

 private:
  counters::description m_about;
};

struct no_such_counter final : std::invalid_argument {
  using invalid_argument::invalid_argument;
};
/// Throws no_such_counter, and std::invalid_argument for what cannot be a counter at any time; it is no pattern.
std::unique_ptr<counter_state> make_counter(const counter_name& name);
/// All that match and have not gone in the meantime.
std::vector<std::unique_ptr<counter_state>> matching_counters(const counter_name& pattern);
/// That counter, or those; std::invalid_argument when there is none.
std::vector<std::unique_ptr<counter_state>> wanted_counters(const counter_name& name_or_pattern);
/// The names of all counters that match, in full.
std::vector<counter_name> expand(const counter_name& pattern);

/// Counters that are computed from others; null when the object is another one. expand: the same for patterns.
std::unique_ptr<counter_state> make_statistic(const counter_name& name);
std::vector<counter_name> expand_statistics(const counter_name& pattern);
std::unique_ptr<counter_state> make_arithmetic(const counter_name& name);
std::vector<counter_name> expand_arithmetics(const counter_name& pattern);

} // namespace treadle::detail
