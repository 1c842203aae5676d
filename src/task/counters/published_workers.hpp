#pragma once

namespace treadle::detail {

/// Whoever looks at this program from outside sees the workers of all runtimes from now on.
void publish_workers() noexcept;

} // namespace treadle::detail
