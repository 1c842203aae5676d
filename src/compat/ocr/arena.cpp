#include "compat/ocr/arena.hpp"

#include <cerrno>
#include <mutex>
#include <new>
#include <sys/mman.h>
#include <system_error>
#include <utility>
#include <vector>

namespace treadle::ocr {

using detail::order;

constinit arena_bounds arena;

namespace {

constexpr std::size_t k_classes = 16, k_chunk_bytes = 16384;
constexpr std::uint32_t k_batch = 64; // places that move between a thread and the others together

struct chunk {
  std::uint64_t offset;
  std::size_t place_bytes, count;
};
struct region {
  place* first;
  std::size_t count;
};

/// In the memory of the first place of a batch.
struct batch_head {
  place* next_batch;
  std::uint32_t count;
};

/// What all threads share. Never destroyed: threads may end after static destruction.
struct shared_places {
  std::mutex lock;
  std::uint64_t used = k_chunk_bytes; // no place has offset 0
  place* batches[k_classes + 1] = {}; // the first place of each
  std::vector<chunk> chunks;
  std::vector<region> free_regions;
};
shared_places& shared() {
  static shared_places* const all = new shared_places; // NOLINT: see above
  return *all;
}

/// The free places of a thread.
struct own_places {
  struct list {
    place* first = nullptr;
    std::uint32_t count = 0;
  };
  list of[k_classes + 1];

  ~own_places() {
    for (std::size_t c = 0; c <= k_classes; ++c) give(c, of[c].count);
  }
  /// Leaves this many to the others.
  void give(std::size_t size_class, std::uint32_t count) noexcept {
    list& mine = of[size_class];
    if (count == 0) return;
    place* const first = mine.first;
    place* last = first;
    for (std::uint32_t i = 1; i < count; ++i) last = last->next_free;
    mine.first = last->next_free;
    mine.count -= count;
    last->next_free = nullptr;
    auto& head = *::new (first->memory()) batch_head{nullptr, count};
    const std::lock_guard guard(shared().lock);
    head.next_batch = std::exchange(shared().batches[size_class], first);
  }
  void refill(std::size_t size_class);
};
thread_local own_places t_places;

std::uint64_t take_bytes(shared_places& all, std::size_t bytes) {
  if (all.used + bytes > arena.bytes) throw std::bad_alloc();
  return std::exchange(all.used, all.used + bytes);
}

place& place_at(std::uint64_t offset) noexcept { return *reinterpret_cast<place*>(arena.base + offset); }

TREADLE_NOINLINE void own_places::refill(std::size_t size_class) {
  shared_places& all = shared();
  list& mine = of[size_class];
  const std::lock_guard guard(all.lock);
  if (place* const first = all.batches[size_class]) {
    const auto& head = first->as<batch_head>();
    all.batches[size_class] = head.next_batch;
    mine = {first, head.count};
    return;
  }
  const std::size_t bytes = size_class * k_unit, count = k_chunk_bytes / bytes;
  all.chunks.reserve(all.chunks.size() + 1);
  const chunk made{take_bytes(all, k_chunk_bytes), bytes, count};
  all.chunks.push_back(made);
  for (std::size_t i = count; i-- > 0;) { // the memory is zero
    place& one = place_at(made.offset + i * bytes);
    one.size_class = static_cast<std::uint8_t>(size_class);
    one.next_free = std::exchange(mine.first, &one);
  }
  mine.count = static_cast<std::uint32_t>(count);
}

} // namespace

void open_arena() {
  static std::once_flag once;
  std::call_once(once, [] {
    std::uint64_t bytes = std::uint64_t{1} << k_offset_bits;
    for (;; bytes /= 2) { // less where the address space is limited
      void* const found =
          mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
      if (found != MAP_FAILED) {
        arena = {static_cast<std::byte*>(found), bytes};
        return;
      }
      if (bytes <= std::uint64_t{1} << 26U)
        throw std::system_error(errno, std::generic_category(), "OCR: no address space for objects");
    }
  });
}

TREADLE_NOINLINE place& take_place(kind what, std::size_t bytes) {
  const std::size_t size_class = (sizeof(place) + bytes + k_unit - 1) / k_unit;
  own_places::list& mine = t_places.of[size_class];
  if (TREADLE_UNLIKELY(mine.count == 0)) t_places.refill(size_class);
  place& taken = *mine.first;
  mine.first = taken.next_free;
  --mine.count;
  taken.what.store(what, order::relaxed); // found only through publish()
  taken.is_runtimes = false;
  return taken;
}

std::uint64_t next_guid(const place& at) noexcept {
  constexpr std::uint64_t generations = (std::uint64_t{1} << (63 - k_offset_bits)) - 1;
  const std::uint64_t last = (at.word.load(order::relaxed) & ~k_dead) >> k_offset_bits;
  const auto offset = static_cast<std::uint64_t>(reinterpret_cast<const std::byte*>(&at) - arena.base);
  return (last % generations + 1) << k_offset_bits | offset;
}

std::uint64_t publish(place& at) noexcept {
  const std::uint64_t guid = next_guid(at);
  at.word.store(guid, order::release); // pairs with find()
  return guid;
}

void unpublish(place& at, ending how) noexcept {
  at.end.store(how, order::relaxed);                                    // for messages
  at.word.store(at.word.load(order::relaxed) | k_dead, order::release); // who finds it dead may read how it ended
}

TREADLE_NOINLINE void give_back(place& at) noexcept {
  // Who still reads words of what was here, without the lock, and sees one of what comes next sees that it is dead.
#if !defined(TREADLE_TSAN) // which does not know fences
  __atomic_thread_fence(__ATOMIC_RELEASE);
#endif
  own_places::list& mine = t_places.of[at.size_class];
  at.next_free = std::exchange(mine.first, &at);
  if (TREADLE_UNLIKELY(++mine.count >= 3 * k_batch)) t_places.give(at.size_class, k_batch);
}

place* take_region(kind what, std::size_t count) {
  shared_places& all = shared();
  place* first = nullptr;
  {
    const std::lock_guard guard(all.lock);
    for (region& one : all.free_regions) {
      if (one.count != count) continue;
      first = one.first;
      one = all.free_regions.back();
      all.free_regions.pop_back();
      break;
    }
    if (!first) {
      if (count > arena.bytes / k_unit) throw std::bad_alloc();
      first = &place_at(take_bytes(all, count * k_unit));
    }
  }
  for (std::size_t i = 0; i < count; ++i) {
    place& one = *reinterpret_cast<place*>(reinterpret_cast<std::byte*>(first) + i * k_unit);
    one.what.store(what, order::relaxed); // found only through publish()
    publish(one);
  }
  return first;
}

void give_back_region(place* first, std::size_t count) noexcept {
  for (std::size_t i = 0; i < count; ++i)
    unpublish(*reinterpret_cast<place*>(reinterpret_cast<std::byte*>(first) + i * k_unit), ending::destroyed);
  const std::lock_guard guard(shared().lock);
  shared().free_regions.push_back({first, count});
}

void for_each_place(void (*visit)(place&, void*), void* context) {
  std::vector<chunk> chunks;
  {
    const std::lock_guard guard(shared().lock);
    chunks = shared().chunks;
  }
  for (const chunk& one : chunks) {
    for (std::size_t i = 0; i < one.count; ++i) {
      place& at = place_at(one.offset + i * one.place_bytes);
      const std::uint64_t word = at.word.load(order::acquire); // pairs with publish()
      if (word != 0 && (word & k_dead) == 0) visit(at, context);
    }
  }
}

place* place_of(std::uint64_t guid) noexcept {
  const std::uint64_t offset = guid & ((std::uint64_t{1} << k_offset_bits) - 1);
  if ((guid & k_dead) != 0 || guid == 0 || offset >= arena.bytes || offset % alignof(place) != 0) return nullptr;
  return &place_at(offset);
}

} // namespace treadle::ocr
