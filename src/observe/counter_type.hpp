#pragma once

#include <treadle/observe/counters.hpp>

namespace treadle::detail {

/// All counters of one name: an object and what is counted of it, for each of its instances.
class counter_type {
 public:
  /// `about.name` is "/object/counter".
  explicit counter_type(counters::description about);
  virtual ~counter_type() = default;

  const counters::description& about() const noexcept { return m_about; }
  const std::string& object() const noexcept { return m_object; }
  const std::string& counter() const noexcept { return m_counter; }

  /// Those that exist at the moment; "" for the one of a counter without instances. The first is meant when a name has
  /// none.
  virtual std::vector<std::string> instances() const = 0;
  /// Any thread. Throws std::runtime_error when the instance cannot be read at the moment.
  virtual counter_sample read(const std::string& instance, const std::string& parameters) const = 0;
  /// Patterns match it only where they name its object.
  virtual bool needs_naming() const { return false; }
  /// Somebody is going to read, for what is counted only then. Errors can wait until read().
  virtual void begin(const std::string& /*instance*/, const std::string& /*parameters*/) const {}

 private:
  counters::description m_about;
  std::string m_object, m_counter;
};

/// The types that exist, any thread. Adding throws std::invalid_argument when there is one of that name and instance.
void add_counter_type(std::shared_ptr<const counter_type> type);
std::vector<std::shared_ptr<const counter_type>> counter_types();

} // namespace treadle::detail
