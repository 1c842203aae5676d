#include "compat/ocr/block.hpp"

#include "compat/ocr/edt.hpp"
#include "compat/ocr/extras.hpp"
#include "compat/ocr/labels.hpp"
#include "compat/ocr/program.hpp"
#include "compat/ocr/report.hpp"

#include <treadle/detail/slab.hpp>

#include <cstring>
#include <new>
#include <string>
#include <utility>

namespace treadle::ocr {

using detail::order;

namespace {

// Under sanitizers all data are of their own, so that they find what is used too late.
constexpr std::size_t k_largest_inside = detail::k_sanitized ? 0 : k_largest_object - sizeof(block);

bool is_inside(const block& what) noexcept { return what.bytes <= k_largest_inside; }

/// Beside those who hold it.
bool may_hold(const block& what, ocrDbAccessMode_t mode) noexcept {
  switch (mode) {
  case DB_MODE_EW:
    return what.exclusive + what.writers + what.constants == 0;
  case DB_MODE_RW:
    return what.exclusive + what.constants == 0;
  case DB_MODE_CONST:
    return what.exclusive + what.writers == 0;
  default:
    return true;
  }
}

std::uint32_t& holds(block& what, ocrDbAccessMode_t mode) noexcept {
  switch (mode) {
  case DB_MODE_EW:
    return what.exclusive;
  case DB_MODE_RW:
    return what.writers;
  case DB_MODE_CONST:
    return what.constants;
  default:
    return what.readers;
  }
}

/// A block that is at rest has the content it had when it came to rest. With the lock.
void check_resting(block& what) noexcept {
  if (TREADLE_LIKELY(!what.is_resting)) return;
  const std::uint64_t hash = hash_of(what);
  if (hash == std::exchange(what.resting_hash, hash)) return;
  note("OCR: a block of " + std::to_string(what.bytes) +
       " bytes was written to while no EDT had it for writing: by one that has no slot with it, or had released it");
}

void hold(block& what, ocrDbAccessMode_t mode) noexcept {
  check_resting(what);
  ++holds(what, mode);
  if (!is_writing(mode)) return;
  ++what.write_grants;
  what.is_resting = false;
}

/// With the lock.
void end_hold(block& what, ocrDbAccessMode_t mode) noexcept {
  --holds(what, mode);
  if (TREADLE_LIKELY(!is_checking()) || !is_writing(mode) || what.writers + what.exclusive != 0) return;
  what.resting_hash = hash_of(what);
  what.is_resting = true;
}

bool is_unused(const block& what) noexcept {
  return what.readers + what.writers + what.exclusive + what.constants == 0 && !what.first_waiting;
}

/// Those at the head of the queue that may go on, in a list. With the lock.
edt* admit(block& what) noexcept {
  edt *first = nullptr, **end = &first;
  while (what.first_waiting && may_hold(what, what.first_waiting->wanted_mode())) {
    edt* const next = what.first_waiting;
    hold(what, next->wanted_mode());
    next->note_write_grants(what.write_grants, what.writers + what.exclusive != 0);
    what.first_waiting = std::exchange(next->next_waiting, nullptr);
    *end = next;
    end = &next->next_waiting;
  }
  return first;
}

} // namespace

void free_block(place& at) noexcept {
  block& what = at.as<block>();
  check_resting(what);
  if (!is_inside(what)) detail::slab_free(what.data, what.bytes);
  end_place(at, ending::destroyed);
}

reference make_block(std::uint64_t bytes, std::uint16_t flags, edt* creator, label_claim* claim, bool is_runtimes) {
  const bool inside = bytes <= k_largest_inside;
  auto* const data = inside ? nullptr : static_cast<std::byte*>(detail::slab_allocate(bytes));
  place* at = nullptr;
  try {
    at = &take_place(kind::block, sizeof(block) + (inside ? bytes : 0));
    if (claim) claim->attach(*at);
  } catch (...) {
    if (at) give_back(*at);
    if (!inside) detail::slab_free(data, bytes);
    throw;
  }
  auto& made = *::new (at->memory()) block;
  made.data = inside ? reinterpret_cast<std::byte*>(&made + 1) : data;
  made.bytes = bytes;
  made.flags = flags;
  at->is_runtimes = is_runtimes;
  if (creator) {
    hold(made, DB_MODE_RW);
    made.creator.store(creator, order::relaxed); // before publish()
    made.older = creator->created;
    if (made.older) made.older->as<block>().newer = at;
    creator->created = at;
  } else {
    made.is_outside = (flags & DB_PROP_NO_ACQUIRE) == 0;
  }
  return {at, publish(*at)};
}

grant acquire_block(const reference& wanted, ocrDbAccessMode_t mode, edt& by, std::uint64_t& write_grants) noexcept {
  const detail::scoped_lock guard(wanted.at->lock);
  if (!wanted.is_alive()) return grant::gone;
  block& what = wanted.at->as<block>();
  // First come, first served; readers that restrict nobody need not wait for their turn.
  if ((!what.first_waiting && may_hold(what, mode)) || mode == DB_MODE_RO) {
    hold(what, mode);
    write_grants = what.writers + what.exclusive != 0 ? edt::k_was_written : what.write_grants;
    return grant::given;
  }
  by.next_waiting = nullptr;
  (what.first_waiting ? what.last_waiting->next_waiting : what.first_waiting) = &by;
  what.last_waiting = &by;
  return grant::queued;
}

void release_block(place& at, ocrDbAccessMode_t mode) noexcept {
  block& what = at.as<block>();
  edt* admitted = nullptr;
  bool is_last = false;
  {
    const detail::scoped_lock guard(at.lock);
    end_hold(what, mode);
    if (TREADLE_UNLIKELY(what.first_waiting != nullptr)) admitted = admit(what);
    is_last = what.is_ending && is_unused(what);
  }
  if (TREADLE_UNLIKELY(is_last)) free_block(at);
  while (admitted) {
    edt* const next = std::exchange(admitted, admitted->next_waiting);
    next->continue_acquiring();
  }
}

void downgrade_block(place& at, ocrDbAccessMode_t mode) noexcept {
  {
    const detail::scoped_lock guard(at.lock);
    hold(at.as<block>(), DB_MODE_RO);
  }
  release_block(at, mode);
}

void stop_watching(place& at) noexcept {
  if (TREADLE_LIKELY(!is_checking())) return;
  const detail::scoped_lock guard(at.lock);
  at.as<block>().is_resting = false;
}

bool destroy_block(const reference& what) noexcept {
  bool is_last = false;
  extras* more = nullptr;
  {
    const detail::scoped_lock guard(what.at->lock);
    if (!what.is_alive()) return false;
    unpublish(*what.at, ending::destroyed);
    more = take_extras(*what.at);
    what.at->as<block>().is_ending = true;
    is_last = is_unused(what.at->as<block>());
  }
  end_extras(more);
  if (is_last) free_block(*what.at); // otherwise it may be gone already
  return true;
}

std::uint64_t hash_of(const block& what) noexcept {
  std::uint64_t hash = what.bytes, word = 0;
  for (std::uint64_t i = 0; i < what.bytes; i += sizeof word) {
    word = 0;
    std::memcpy(&word, what.data + i, what.bytes - i < sizeof word ? what.bytes - i : sizeof word);
    hash = (hash ^ word) * 0x9E3779B97F4A7C15U;
    hash ^= hash >> 29U;
  }
  return hash;
}

} // namespace treadle::ocr
