#pragma once

namespace treadle::detail {

/// Of the present runtime, in all pools; 0 when there is none.
unsigned present_workers();

} // namespace treadle::detail
