#include <treadle/detail/slab.hpp>
#include <treadle/detail/spinlock.hpp>

#include "base/block_cache.hpp"
#include "base/fork.hpp"

#include <new>
#include <utility>

namespace treadle::detail {

#if defined(TREADLE_ASAN) || defined(TREADLE_TSAN)

// Recycling would hide use after free from the sanitizers.
void* slab_allocate(std::size_t bytes) { return ::operator new(bytes); }
void slab_free(void* memory, std::size_t) noexcept { ::operator delete(memory); }
std::uint64_t slab_bytes() noexcept { return 0; }

#else

namespace {

constexpr std::size_t k_granule = 32;        // sizes are rounded up to this
constexpr std::size_t k_classes = 16;        // up to 512 bytes
constexpr std::size_t k_chunk_bytes = 32768; // taken from operator new at once
constexpr std::uint32_t k_batch = 64;        // objects that move between a thread and the shared pool together

struct node {
  node* next;
  node* next_batch; // meaningful in the first node of a batch in the shared pool
};

/// Batches of free objects that no thread holds at the moment. Chunks are never returned to the system: the peak of
/// simultaneously live small objects bounds them. Lives for ever, because threads may free after static destruction.
struct shared_pool {
  spinlock lock;
  node* batches = nullptr;

  node* take() noexcept {
    scoped_lock guard(lock);
    node* batch = batches;
    if (batch) batches = batch->next_batch;
    return batch;
  }
  void give(node* batch) noexcept {
    scoped_lock guard(lock);
    batch->next_batch = batches;
    batches = batch;
  }
};
constinit shared_pool g_pools[k_classes];

/// Keeps threads out of the shared pools while the process forks.
class forking_pools final : fork_participant {
 public:
  static void take_part() noexcept { [[maybe_unused]] static forking_pools& once = *new forking_pools; }

 private:
  forking_pools() noexcept { join_forks(); }
  bool try_lock() noexcept override {
    for (std::size_t c = 0; c < k_classes; ++c) {
      if (g_pools[c].lock.try_lock()) continue;
      while (c > 0) g_pools[--c].lock.unlock();
      return false;
    }
    return true;
  }
  void unlock() noexcept override {
    for (shared_pool& pool : g_pools) pool.lock.unlock();
  }
};

constinit atomic<std::uint64_t> g_bytes{0};

/// A thread holds at most two lists per class: one it allocates from and one in reserve, so that a thread which
/// alternates around a batch boundary does not go to the shared pool each time. A list has k_batch objects, or those of
/// a new chunk.
struct thread_list {
  node* head = nullptr;
  node* reserve = nullptr; // not counted in `count`
  std::uint32_t count = 0; // objects in head
};

struct thread_cache {
  thread_list lists[k_classes];
  ~thread_cache();
};

thread_local constinit thread_list* t_lists = nullptr;
thread_local constinit bool t_gone = false; // the cache was destroyed; the thread is ending

thread_cache::~thread_cache() {
  t_lists = nullptr;
  t_gone = true;
  for (std::size_t c = 0; c < k_classes; ++c) {
    if (lists[c].head) g_pools[c].give(lists[c].head);
    if (lists[c].reserve) g_pools[c].give(lists[c].reserve);
  }
}

constexpr std::size_t class_of(std::size_t bytes) noexcept { return (bytes + k_granule - 1) / k_granule - 1; }

TREADLE_NOINLINE thread_list* open_cache() noexcept {
  if (t_gone) return nullptr;
  forking_pools::take_part();
  thread_local thread_cache cache; // registers its destructor on first use in each thread
  return t_lists = cache.lists;
}

node* carve(std::size_t size) {
  const std::size_t objects = k_chunk_bytes / size;
  char* chunk = static_cast<char*>(::operator new(objects * size, std::align_val_t{64}));
  g_bytes.fetch_add(objects * size, order::relaxed);
  node* head = nullptr;
  for (std::size_t i = objects; i-- > 0;) {
    node* n = ::new (chunk + i * size) node{head, nullptr};
    head = n;
  }
  return head;
}

std::uint32_t length(const node* list) noexcept {
  std::uint32_t n = 0;
  for (; list; list = list->next) ++n;
  return n;
}

TREADLE_NOINLINE void* refill(thread_list& list, std::size_t c) {
  node* head = list.reserve;
  list.reserve = nullptr;
  if (!head) head = g_pools[c].take();
  if (!head) head = carve((c + 1) * k_granule);
  list.head = head->next;
  list.count = length(list.head);
  return head;
}

TREADLE_NOINLINE void* allocate_without_cache(std::size_t c) {
  node* head = g_pools[c].take();
  if (!head) head = carve((c + 1) * k_granule);
  if (head->next) g_pools[c].give(head->next);
  return head;
}

void put(thread_list& list, node* n) noexcept {
  n->next = list.head;
  list.head = n;
  ++list.count;
}

/// Without a list of this thread that has room. Apart, so that the common way needs no registers saved.
TREADLE_NOINLINE void free_without_room(node* n, std::size_t c) noexcept {
  thread_list* const lists = t_lists ? t_lists : open_cache();
  if (!lists) {
    n->next = nullptr;
    return g_pools[c].give(n);
  }
  thread_list& list = lists[c];
  if (list.count >= k_batch) {
    if (list.reserve) g_pools[c].give(list.reserve);
    list.reserve = std::exchange(list.head, nullptr);
    list.count = 0;
  }
  put(list, n);
}

} // namespace

TREADLE_NOINLINE void* slab_allocate(std::size_t bytes) {
  const std::size_t c = class_of(bytes);
  if (TREADLE_UNLIKELY(c >= k_classes))
    return bytes < k_least_block_bytes ? ::operator new(bytes) : block_allocate(bytes);
  thread_list* lists = t_lists;
  if (TREADLE_UNLIKELY(!lists)) {
    lists = open_cache();
    if (!lists) return allocate_without_cache(c);
  }
  thread_list& list = lists[c];
  node* head = list.head;
  if (TREADLE_UNLIKELY(!head)) return refill(list, c);
  list.head = head->next;
  --list.count;
  return head;
}

TREADLE_NOINLINE void slab_free(void* memory, std::size_t bytes) noexcept {
  const std::size_t c = class_of(bytes);
  if (TREADLE_UNLIKELY(c >= k_classes))
    return bytes < k_least_block_bytes ? ::operator delete(memory) : block_free(memory, bytes);
  thread_list* const lists = t_lists;
  node* const n = static_cast<node*>(memory);
  if (TREADLE_UNLIKELY(!lists || lists[c].count >= k_batch)) return free_without_room(n, c);
  put(lists[c], n);
}

std::uint64_t slab_bytes() noexcept { return g_bytes.load(order::relaxed); }

#endif

} // namespace treadle::detail
