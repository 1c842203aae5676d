#pragma once

namespace treadle::detail {

/// Costs nothing here: what matters are the lines that are shared.
template <class T>
using plain = T;

} // namespace treadle::detail
