#pragma once

#include "compat/ocr/api.hpp"
#include "compat/ocr/arena.hpp"

namespace treadle::ocr {

inline std::uint64_t word_of(ocrGuid_t guid) noexcept { return static_cast<std::uint64_t>(guid.guid); }
inline ocrGuid_t guid_of(std::uint64_t word) noexcept {
  ocrGuid_t guid = NULL_GUID_INITIALIZER;
  guid.guid = static_cast<std::intptr_t>(word);
  return guid;
}

/// An object as the library finds it: not by a label.
struct reference {
  place* at = nullptr;
  std::uint64_t guid = 0; ///< of the object itself, for who looks again with the lock

  explicit operator bool() const noexcept { return at != nullptr; }
  kind what() const noexcept { return at ? at->what.load(detail::order::relaxed) : kind::none; }
  /// With the lock: it is still there.
  bool is_alive() const noexcept { return at->word.load(detail::order::relaxed) == guid; }
};

reference resolve_label(place& label) noexcept;

/// The object that a GUID names, or the one that has this label.
inline reference resolve(std::uint64_t guid) noexcept {
  place* const at = find(guid);
  if (TREADLE_UNLIKELY(!at)) return {};
  if (TREADLE_UNLIKELY(at->what.load(detail::order::relaxed) == kind::label)) return resolve_label(*at);
  return {at, guid};
}
inline reference resolve(ocrGuid_t guid) noexcept { return resolve(word_of(guid)); }
/// The same of one kind only.
inline reference resolve(std::uint64_t guid, kind wanted) noexcept {
  const reference found = resolve(guid);
  return TREADLE_LIKELY(found.what() == wanted) ? found : reference{};
}
inline reference resolve(ocrGuid_t guid, kind wanted) noexcept { return resolve(word_of(guid), wanted); }

/// The GUID by which programs know it: its label, or its own. By who may look at the object.
std::uint64_t visible_guid(place& at) noexcept;

} // namespace treadle::ocr
