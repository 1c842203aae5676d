#pragma once

#include "loop/reasons.hpp"

namespace treadle::detail {

/// What earlier runs have measured where a decision begins: of the choices that go by the same names. Empty when there
/// is nothing, or when they are not remembered. Waits for no file.
std::vector<tuned_point> recall(const loop::explained& asked, const loop::decision& made, const loop::context& of,
                                const std::string& choices);

} // namespace treadle::detail
