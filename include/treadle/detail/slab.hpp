#pragma once

#include <treadle/detail/config.hpp>

namespace treadle::detail {

/// A free object. It lies where one of another type was.
struct [[gnu::may_alias]] slab_node {
  slab_node* next;
  slab_node* next_batch; // meaningful in the first node of a batch in the shared pool
};

/// Free objects of one size class that one thread has: those it allocates from, and some in reserve, so that a thread
/// which alternates around a batch boundary does not go to the shared pool each time.
struct slab_list {
  slab_node* head = nullptr;
  slab_node* reserve = nullptr; // not counted in `count`
  std::uint32_t count = 0;      // objects in head: up to k_slab_batch, or those of a new chunk
};

inline constexpr std::size_t k_slab_granule = 32; // sizes are rounded up to this
inline constexpr std::size_t k_slab_classes = 16; // up to 512 bytes
inline constexpr std::uint32_t k_slab_batch = 64; // objects that move between a thread and the shared pool together
constexpr std::size_t slab_class_of(std::size_t bytes) noexcept {
  return (bytes + k_slab_granule - 1) / k_slab_granule - 1;
}

} // namespace treadle::detail

/// The lists of the calling thread, one for each size class. Null until the thread needs one, when it ends, and in
/// builds for sanitizers, from which recycled memory would hide errors.
extern "C" [[gnu::tls_model("initial-exec")]] constinit thread_local treadle::detail::slab_list* treadle_slab_lists;

namespace treadle::detail {

#if defined(__x86_64__)
/// Reads the variable anew at every call: the caller may be on another thread than before (docs/design/fibers.md).
inline slab_list* this_thread_slabs() noexcept {
  slab_list* lists;
  asm volatile("movq treadle_slab_lists@gottpoff(%%rip), %0\n\tmovq %%fs:(%0), %0" : "=r"(lists));
  return lists;
}
#else
slab_list* this_thread_slabs() noexcept; // never inlined
#endif

/// What slab_allocate() does where the thread has no object of that size, for large sizes, and under sanitizers.
[[nodiscard]] void* slab_allocate_slow(std::size_t bytes);
/// What slab_free() does where the thread's list is full, for large sizes, and under sanitizers.
void slab_free_slow(void* memory, std::size_t bytes) noexcept;

/// Memory for small short-lived objects (future states, array headers): size classes with a free list per thread, so an
/// allocate/free pair costs a few nanoseconds and no atomic operation. Larger sizes go to operator new, and from 8 KB
/// on come from blocks that each thread keeps (src/base/block_cache.hpp).
///
/// Any thread may free what another allocated; surplus lists travel between threads in batches through a shared pool.
/// Throws std::bad_alloc. `bytes` given to slab_free must be those given to slab_allocate.
[[nodiscard]] inline void* slab_allocate(std::size_t bytes) {
  const std::size_t c = slab_class_of(bytes);
  slab_list* const lists = this_thread_slabs();
  if (TREADLE_UNLIKELY(c >= k_slab_classes || !lists || !lists[c].head)) return slab_allocate_slow(bytes);
  slab_node* const first = lists[c].head;
  lists[c].head = first->next;
  --lists[c].count;
  return first;
}
inline void slab_free(void* memory, std::size_t bytes) noexcept {
  const std::size_t c = slab_class_of(bytes);
  slab_list* const lists = this_thread_slabs();
  if (TREADLE_UNLIKELY(c >= k_slab_classes || !lists || lists[c].count >= k_slab_batch))
    return slab_free_slow(memory, bytes);
  auto* const first = static_cast<slab_node*>(memory);
  first->next = lists[c].head;
  lists[c].head = first;
  ++lists[c].count;
}
/// What it has taken from operator new so far, in bytes.
std::uint64_t slab_bytes() noexcept;

/// n numbers without a value, for a while. Throws std::bad_alloc.
template <class T>
class slab_array {
 public:
  explicit slab_array(std::size_t n) : m_bytes(n * sizeof(T)), m_data(static_cast<T*>(slab_allocate(m_bytes))) {}
  slab_array(const slab_array&) = delete;
  slab_array& operator=(const slab_array&) = delete;
  ~slab_array() { slab_free(m_data, m_bytes); }

  T* data() const noexcept { return m_data; }

 private:
  const std::size_t m_bytes;
  T* const m_data;
};

} // namespace treadle::detail
