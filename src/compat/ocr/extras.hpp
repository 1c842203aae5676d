#pragma once

#include "compat/ocr/guid.hpp"

#include <utility>

namespace treadle::ocr {

/// What few objects have: a label, hints, data of an EDT's own.
struct extras {
  place* label = nullptr;
  std::uint64_t label_guid = 0;
  std::uint64_t hint_mask = 0;
  std::uint64_t hints[16] = {};
  ocrGuid_t storage[ELS_USER_SIZE] = {};
};

/// Makes them where there are none. With the lock, or by who made the object and has told nobody.
extras& extras_of(place& at);

/// Takes them away from the object: with the lock, or alone.
inline extras* take_extras(place& at) noexcept {
  extras* const taken = at.more.load(detail::order::relaxed); // with the lock
  if (TREADLE_UNLIKELY(taken != nullptr)) at.more.store(nullptr, detail::order::relaxed);
  return taken;
}
/// Frees the label and the rest; never with a lock, because somebody may wait for the label. May be null.
void end_extras(extras* more) noexcept;
/// Frees the label of an object that lives on.
void drop_label(place& at) noexcept;

/// How every object ends: it is found no more, its label is free, and so is its place. By its only user.
void end_place(place& at, ending how) noexcept;

} // namespace treadle::ocr
