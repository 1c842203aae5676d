#pragma once

#include <treadle/detail/atomic.hpp>
#include <treadle/detail/spinlock.hpp>

#include <cstddef>
#include <cstdint>

/// Memory of the objects that have GUIDs. Its places stay places for ever, so that any number may be looked up: a GUID
/// is the place of an object and how many have lived there (docs/design/ocr.md).
namespace treadle::ocr {

enum class kind : std::uint8_t { none, edt, edt_template, event, block, range, label, waiting };

struct extras;

/// How the last object of a place ended, for messages.
enum class ending : std::uint8_t { none, ran, destroyed };

/// What precedes each object.
struct alignas(32) place {
  /// The GUID of the object that lives here; with k_dead, that of the last one. Written by who holds the lock, or made
  /// the object and has told nobody.
  detail::atomic<std::uint64_t> word;
  /// What few objects have. Written with the lock; release and acquire, for those who look whether there is any.
  detail::atomic<extras*> more;
  detail::spinlock lock;     ///< of the object; nobody ever holds two
  detail::atomic<kind> what; ///< valid for who has found the word
  std::uint8_t size_class;   ///< its bytes in units of k_unit; 0: of a region
  detail::atomic<ending> end;
  bool is_runtimes = false; ///< made by the runtime: no leak
  place* next_free;

  void* memory() noexcept { return this + 1; }
  template <class T>
  T& as() noexcept {
    return *static_cast<T*>(memory());
  }
  static place& of(void* memory) noexcept { return *(static_cast<place*>(memory) - 1); }
};

inline constexpr std::uint64_t k_dead = std::uint64_t{1} << 63U;
inline constexpr unsigned k_offset_bits = 36; // 64 GiB of places, and 2^27 objects in each before a GUID comes again
inline constexpr std::size_t k_unit = 64;
inline constexpr std::size_t k_largest_object = 16 * k_unit - sizeof(place);

/// Where places begin, and how many bytes there are; none before open_arena().
struct arena_bounds {
  std::byte* base = nullptr;
  std::uint64_t bytes = 0;
};
extern arena_bounds arena;

/// Reserves addresses, no memory; once. Throws std::system_error.
void open_arena();

/// A place with room for this many bytes, at most k_largest_object, whose memory is as somebody left it. Throws
/// std::bad_alloc.
place& take_place(kind what, std::size_t bytes);
/// Gives the object its GUID: from now on it is found.
std::uint64_t publish(place& at) noexcept;
/// What publish() will return.
std::uint64_t next_guid(const place& at) noexcept;
/// Nobody finds the object any more. With the lock, or alone.
void unpublish(place& at, ending how) noexcept;
/// The object is gone: another one may have the place. After unpublish().
void give_back(place& at) noexcept;

/// Takes `count` places in a row, of k_unit bytes each, published; and gives them back again.
place* take_region(kind what, std::size_t count);
void give_back_region(place* first, std::size_t count) noexcept;

/// Calls visit(place) for all places with a living object but those of regions. While nobody else makes or ends one,
/// except that `visit` may end this one.
void for_each_place(void (*visit)(place&, void* context), void* context);

/// Null where no such object lives, and for what was never a GUID.
inline place* find(std::uint64_t guid) noexcept {
  const std::uint64_t offset = guid & ((std::uint64_t{1} << k_offset_bits) - 1);
  if (TREADLE_UNLIKELY(static_cast<std::int64_t>(guid) <= 0 || offset >= arena.bytes || offset % alignof(place) != 0))
    return nullptr;
  auto* const found = reinterpret_cast<place*>(arena.base + offset);
  // acquire: pairs with publish(); what the creator wrote is there.
  return TREADLE_LIKELY(found->word.load(detail::order::acquire) == guid) ? found : nullptr;
}
/// The place that a GUID names, even when another object lives there now; null for what was never a GUID.
place* place_of(std::uint64_t guid) noexcept;

} // namespace treadle::ocr
