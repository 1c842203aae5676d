#pragma once

#include <cstddef>

namespace treadle::detail {

/// A stack with an inaccessible page below it: an overflow faults there instead of overwriting other memory. Pages are
/// committed by the kernel when first touched.
struct stack {
  void* mapping = nullptr;       // start of the guard page
  std::size_t mapping_bytes = 0; // guard page included

  void* top() const noexcept { return static_cast<char*>(mapping) + mapping_bytes; }
  void* limit() const noexcept; // lowest usable byte
};

/// Usable size is `bytes` rounded up to pages, at least 16 KiB. Throws std::system_error naming the limit that was hit
/// (two memory mappings each: vm.max_map_count bounds the number of simultaneously suspended tasks).
stack allocate_stack(std::size_t bytes);
void free_stack(stack s) noexcept;

/// The stack that the calling OS thread was started with, for code that checks how much is left.
stack thread_stack() noexcept;

} // namespace treadle::detail
