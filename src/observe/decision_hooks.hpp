// What a runtime asks of the decisions, which know more than it may. Null where nothing is decided.
#pragma once

#include <treadle/detail/atomic.hpp>

#include <string>

namespace treadle::detail {

/// All decisions as a table for people.
inline constinit atomic<std::string (*)()> g_explain_table{nullptr};
/// Decisions begin with what is in this file from now on, empty for the standard one; the first that is told counts.
inline constinit atomic<void (*)(const std::string& path)> g_remember{nullptr};
/// Writes it.
inline constinit atomic<void (*)()> g_save_remembered{nullptr};

} // namespace treadle::detail
