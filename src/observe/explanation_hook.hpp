#pragma once

#include <treadle/detail/atomic.hpp>

#include <string>

namespace treadle::detail {

/// All decisions as a table for people, for a runtime that ends. Null until something is decided.
inline constinit atomic<std::string (*)()> g_explain_table{nullptr};

} // namespace treadle::detail
