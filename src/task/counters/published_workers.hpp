#pragma once

namespace treadle::detail {

/// From now on programs such as `treadle top` see the workers of all runtimes of this one.
void publish_workers() noexcept;

} // namespace treadle::detail
