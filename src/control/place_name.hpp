#pragma once

#include <string>

namespace treadle::detail {

/// The name of a place in the code that is used for the first time. The compiler calls two lambdas of one function
/// alike, as it does all functions of one type: the second place of a name is "name #2".
std::string place_name(std::string name);

/// The name of an instance that may end: the second of those of one name that are there at the same time is "name #2".
/// Any thread.
class instance_name {
 public:
  explicit instance_name(std::string name);
  ~instance_name();
  instance_name(const instance_name&) = delete;
  instance_name& operator=(const instance_name&) = delete;

  const std::string& text() const noexcept { return m_text; }

 private:
  const std::string m_name;
  const unsigned m_number; // the lowest that is free
  const std::string m_text;
};

} // namespace treadle::detail
