#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace treadle::detail {

/// The name of a counter, or a pattern for several, taken apart:
///
///     name      = "/" object [ "{" instance "}" ] "/" counter [ "@" parameters ]
///     instance  = name | part { "/" part }
///     part      = word [ "#" ( word | "*" ) ]
///     counter   = segment { "/" segment }
///
/// A word is made of letters, digits, '-', '_', '.', ':' and ' '; object and segments may also hold the wildcards `*`,
/// `?` and `[...]`, where `*` in a counter stands for '/' as well. Parameters are everything to the end. The grammar is
/// that of HPX (libs/full/performance_counters), without its prefix /counters.
struct counter_name {
  struct part {
    std::string name;
    std::string index; // behind '#': a number, a name, or "*"
    bool has_index = false;
    bool operator==(const part&) const = default;
  };

  std::string object;
  std::vector<part> instance;     // empty when there is none, or `base`
  std::vector<counter_name> base; // at most one: the counter that a statistic is about
  std::string counter;
  std::string parameters;

  /// Throws std::invalid_argument whose message shows the name and marks the place.
  static counter_name parse(std::string_view text);

  std::string text() const;
  std::string instance_text() const; ///< what is between the braces
  /// Whether it stands for more than one counter.
  bool is_pattern() const;
  bool operator==(const counter_name&) const = default;
};

/// Whether an object or a counter matches a pattern.
bool matches_pattern(const std::string& pattern, const std::string& text);
/// Whether an instance matches one that may hold `#*`. Both have as many parts.
bool matches_instance(const std::vector<counter_name::part>& pattern, const std::vector<counter_name::part>& instance);

} // namespace treadle::detail
