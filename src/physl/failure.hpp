// What travels while something goes wrong inside a compilation or a run; program turns it into physl::error at its
// boundary. Not a std::exception: those are caught at every node to be given a place, and this one has it.
#pragma once

#include <treadle/arrays/physl.hpp>

#include <string>
#include <vector>

namespace treadle::physl {

// 1-based; 0 = unknown.
struct place {
  std::uint32_t line = 0, column = 0;
  friend bool operator==(const place&, const place&) = default;
};

inline constexpr std::size_t k_trace_limit = 20;

struct failure {
  failure(std::string what_happened, place where_it_was, error_kind what_kind = error_kind::program)
      : message(std::move(what_happened)), where(where_it_was), kind(what_kind) {}

  void called_from(std::string_view function, place call) {
    if (back_trace.size() < k_trace_limit)
      back_trace.push_back({std::string(function), call.line, call.column});
    else
      ++omitted;
  }

  std::string message;
  place where;
  error_kind kind;
  std::vector<trace_entry> back_trace;
  std::size_t omitted = 0;
};

// The public error with the quoted source line; `source` may be empty.
error to_error(const failure& f, const std::string& file, std::string_view source);

} // namespace treadle::physl
