// Where array headers, small arrays and frames live.
#pragma once

#include <cstddef>
#include <new>

namespace treadle::detail {

inline void* allocate_bytes(std::size_t bytes) { return ::operator new(bytes, std::align_val_t(64)); }
inline void free_bytes(void* p, std::size_t) noexcept { ::operator delete(p, std::align_val_t(64)); }

} // namespace treadle::detail
