#pragma once

#include <cstddef>

namespace treadle::detail {

/// The domain of this machine, as topology numbers them, that most of the first, middle and last byte are in; -1 where
/// there is only one domain, or the system does not tell. A microsecond or two. Any thread.
int memory_domain(const void* data, std::size_t bytes) noexcept;

} // namespace treadle::detail
