#pragma once

#include "observe/periodic.hpp"

#include <treadle/observe/counters.hpp>

#include <cstdio>
#include <optional>

namespace treadle::detail {

/// Prints counters to where the user asked for, every so often and at the end, and tells them as events.
class counter_printer final : periodic_action {
 public:
  struct options {
    std::vector<std::string> patterns;
    std::int64_t interval_ns = 0; ///< 0: only at the end
    std::string destination;      ///< "stdout" or "", "stderr", "none", or a file
    std::string format;           ///< "text" or "", "csv", "json"
  };

  /// Counts from now on. Throws std::invalid_argument when a pattern is none or matches nothing, or when the file
  /// cannot be written.
  explicit counter_printer(const options& wanted);
  /// Prints for the last time. What could not be written, to a full disk for example, is said on stderr.
  ~counter_printer();

 private:
  struct closing {
    void operator()(std::FILE* file) const noexcept;
  };

  void act() noexcept override;
  void print(const std::vector<counters::reading>& readings);
  std::string as_text(std::int64_t time_ns, const std::vector<counters::reading>& readings) const;
  std::string as_csv(std::int64_t time_ns, const std::vector<counters::reading>& readings) const;
  std::string as_json(std::int64_t time_ns, const std::vector<counters::reading>& readings) const;

  const std::string m_destination, m_format;
  counters::group m_counters;
  const std::int64_t m_start_ns;
  std::unique_ptr<std::FILE, closing> m_file; // null: none
  bool m_printed = false;
  int m_error = 0; // errno of the first write that failed
  std::optional<periodic> m_periodic;
};

/// A table of all counters for people.
std::string counter_table();

} // namespace treadle::detail
