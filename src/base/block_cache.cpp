#include "base/block_cache.hpp"

#include <treadle/detail/config.hpp>

#include <sys/mman.h>

#include <algorithm>
#include <new>

namespace treadle::detail {
namespace {

#if defined(TREADLE_ASAN) || defined(TREADLE_TSAN)
constexpr std::size_t k_most_kept = 0; // recycling would hide use after free from the sanitizers
#else
constexpr std::size_t k_most_kept = 32 << 20;
#endif
constexpr unsigned k_most_blocks = 32;
constexpr std::size_t k_huge_page = 2 << 20;

bool is_huge(std::size_t size) noexcept { return size >= 2 * k_huge_page; }

void* allocate(std::size_t size) {
  if (!is_huge(size)) return ::operator new(size);
  void* memory = ::operator new(size, std::align_val_t{k_huge_page});
  ::madvise(memory, size, MADV_HUGEPAGE); // where there are none, it does without
  return memory;
}

void release(void* memory, std::size_t size) noexcept {
  if (is_huge(size)) // no ?: here: clang 19 calls both when it optimises
    ::operator delete(memory, std::align_val_t{k_huge_page});
  else
    ::operator delete(memory);
}

struct block {
  void* memory;
  std::size_t size;
};

/// Used as long as the thread lives, also by destructors of other thread_local objects: it has none itself.
struct kept_blocks {
  block blocks[k_most_blocks]; // oldest first
  unsigned count;
  std::size_t bytes;
  bool ends; // the thread; nothing is kept any more

  block remove(unsigned i) noexcept {
    const block found = blocks[i];
    std::copy(blocks + i + 1, blocks + count, blocks + i);
    --count;
    bytes -= found.size;
    return found;
  }
  void make_room(std::size_t size) noexcept {
    while (count > 0 && (count == k_most_blocks || bytes + size > k_most_kept)) {
      const block oldest = remove(0);
      release(oldest.memory, oldest.size);
    }
  }
};
thread_local constinit kept_blocks t_kept{};

struct at_thread_end {
  ~at_thread_end() {
    t_kept.ends = true;
    t_kept.make_room(k_most_kept + 1);
  }
};

} // namespace

void* block_allocate(std::size_t bytes) {
  for (unsigned i = t_kept.count; i-- > 0;) // the latest, which may still be in the cache
    if (t_kept.blocks[i].size == bytes) return t_kept.remove(i).memory;
  return allocate(bytes);
}

void block_free(void* memory, std::size_t bytes) noexcept {
  if (bytes > k_most_kept || t_kept.ends) return release(memory, bytes);
  thread_local const at_thread_end guard;
  static_cast<void>(guard);
  t_kept.make_room(bytes);
  t_kept.blocks[t_kept.count++] = {memory, bytes};
  t_kept.bytes += bytes;
}

std::size_t kept_block_bytes() noexcept { return t_kept.bytes; }

} // namespace treadle::detail
