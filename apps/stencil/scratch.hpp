#pragma once

#include "stencil/kernel.hpp"

#include <cstddef>

namespace stencil {

/// Memory of the calling thread for one tile; it stays, because new pages cost more than the tile. No task waits for
/// anything while it uses it.
inline double* scratch(std::size_t values) {
  thread_local aligned_array memory;
  thread_local std::size_t size = 0;
  if (size < values) {
    size = 0;
    memory = make_aligned(values);
    size = values;
  }
  return memory.get();
}

} // namespace stencil
