#pragma once

#include <cstddef>

namespace treadle::detail {

/// A stack with inaccessible pages below it: an overflow faults there instead of overwriting other memory, unless a
/// single frame is larger than them. Pages are committed by the kernel when first touched.
struct stack {
  void* mapping = nullptr;       // start of the guard pages
  std::size_t mapping_bytes = 0; // guard pages included
  std::size_t guard_bytes = 0;

  void* top() const noexcept { return static_cast<char*>(mapping) + mapping_bytes; }
  void* limit() const noexcept { return static_cast<char*>(mapping) + guard_bytes; } // lowest usable byte
  bool guards(const void* address) const noexcept { return address >= mapping && address < limit(); }
};

std::size_t page_bytes() noexcept;

/// Usable size is `bytes` rounded up to pages, at least 16 KiB. Throws std::system_error naming the limit that was hit
/// (two memory mappings each: vm.max_map_count bounds the number of simultaneously suspended tasks).
stack allocate_stack(std::size_t bytes);
/// The process keeps some for allocate_stack(), most of them without what lies deeper than 16 KiB. Nothing of the
/// calling thread's may be on it.
void free_stack(stack s) noexcept;

/// The stack that the calling OS thread was started with, for code that checks how much is left.
stack thread_stack() noexcept;

} // namespace treadle::detail
