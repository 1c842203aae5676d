#include <treadle/detail/slab.hpp>
#include <treadle/detail/spinlock.hpp>

#include "base/block_cache.hpp"
#include "base/fork.hpp"

#include <new>
#include <utility>

// Read by assembly in other files, too.
[[gnu::used, gnu::tls_model("initial-exec")]] constinit thread_local treadle::detail::slab_list* treadle_slab_lists =
    nullptr;

namespace treadle::detail {

#if !defined(__x86_64__)
TREADLE_NOINLINE slab_list* this_thread_slabs() noexcept { return treadle_slab_lists; }
#endif

#if defined(TREADLE_ASAN) || defined(TREADLE_TSAN)

void* slab_allocate_slow(std::size_t bytes) { return ::operator new(bytes); }
void slab_free_slow(void* memory, std::size_t) noexcept { ::operator delete(memory); }
std::uint64_t slab_bytes() noexcept { return 0; }

#else

namespace {

constexpr std::size_t k_chunk_bytes = 32768; // taken from operator new at once

/// Batches of free objects that no thread holds at the moment. Chunks are never returned to the system: the peak of
/// simultaneously live small objects bounds them. Lives for ever, because threads may free after static destruction.
struct shared_pool {
  spinlock lock;
  slab_node* batches = nullptr;

  slab_node* take() noexcept {
    scoped_lock guard(lock);
    slab_node* batch = batches;
    if (batch) batches = batch->next_batch;
    return batch;
  }
  void give(slab_node* batch) noexcept {
    scoped_lock guard(lock);
    batch->next_batch = batches;
    batches = batch;
  }
};
constinit shared_pool g_pools[k_slab_classes];

/// Keeps threads out of the shared pools while the process forks.
class forking_pools final : fork_participant {
 public:
  static void take_part() noexcept { [[maybe_unused]] static forking_pools& once = *new forking_pools; }

 private:
  forking_pools() noexcept { join_forks(); }
  bool try_lock() noexcept override {
    for (std::size_t c = 0; c < k_slab_classes; ++c) {
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

struct thread_cache {
  slab_list lists[k_slab_classes];
  ~thread_cache();
};

thread_local constinit bool t_gone = false; // the cache was destroyed; the thread is ending

thread_cache::~thread_cache() {
  treadle_slab_lists = nullptr;
  t_gone = true;
  for (std::size_t c = 0; c < k_slab_classes; ++c) {
    if (lists[c].head) g_pools[c].give(lists[c].head);
    if (lists[c].reserve) g_pools[c].give(lists[c].reserve);
  }
}

TREADLE_NOINLINE slab_list* open_cache() noexcept {
  if (t_gone) return nullptr;
  forking_pools::take_part();
  thread_local thread_cache cache; // registers its destructor on first use in each thread
  return treadle_slab_lists = cache.lists;
}

slab_node* carve(std::size_t size) {
  const std::size_t objects = k_chunk_bytes / size;
  char* chunk = static_cast<char*>(::operator new(objects * size, std::align_val_t{64}));
  g_bytes.fetch_add(objects * size, order::relaxed);
  slab_node* head = nullptr;
  for (std::size_t i = objects; i-- > 0;) {
    slab_node* n = ::new (chunk + i * size) slab_node{head, nullptr};
    head = n;
  }
  return head;
}

std::uint32_t length(const slab_node* list) noexcept {
  std::uint32_t n = 0;
  for (; list; list = list->next) ++n;
  return n;
}

void* refill(slab_list& list, std::size_t c) {
  slab_node* head = std::exchange(list.reserve, nullptr);
  if (!head) head = g_pools[c].take();
  if (!head) head = carve((c + 1) * k_slab_granule);
  list.head = head->next;
  list.count = length(list.head);
  return head;
}

void* allocate_without_cache(std::size_t c) {
  slab_node* head = g_pools[c].take();
  if (!head) head = carve((c + 1) * k_slab_granule);
  if (head->next) g_pools[c].give(head->next);
  return head;
}

} // namespace

TREADLE_NOINLINE void* slab_allocate_slow(std::size_t bytes) {
  const std::size_t c = slab_class_of(bytes);
  if (c >= k_slab_classes) return bytes < k_least_block_bytes ? ::operator new(bytes) : block_allocate(bytes);
  slab_list* const lists = treadle_slab_lists ? treadle_slab_lists : open_cache();
  return lists ? refill(lists[c], c) : allocate_without_cache(c);
}

TREADLE_NOINLINE void slab_free_slow(void* memory, std::size_t bytes) noexcept {
  const std::size_t c = slab_class_of(bytes);
  if (c >= k_slab_classes) return bytes < k_least_block_bytes ? ::operator delete(memory) : block_free(memory, bytes);
  slab_list* const lists = treadle_slab_lists ? treadle_slab_lists : open_cache();
  if (!lists) {
    auto* const alone = static_cast<slab_node*>(memory);
    alone->next = nullptr;
    return g_pools[c].give(alone);
  }
  slab_list& list = lists[c];
  if (list.count >= k_slab_batch) {
    if (list.reserve) g_pools[c].give(list.reserve);
    list.reserve = std::exchange(list.head, nullptr);
    list.count = 0;
  }
  slab_free(memory, bytes); // there is room now
}

std::uint64_t slab_bytes() noexcept { return g_bytes.load(order::relaxed); }

#endif

} // namespace treadle::detail
