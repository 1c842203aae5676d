#pragma once

#include "compat/ocr/guid.hpp"
#include "compat/ocr/label_word.hpp"

namespace treadle::ocr {

/// What a place of a label holds.
struct label {
  label_word current;
  ocrGuidUserKind of;
};

/// Becomes free, and who waits for it goes on.
void free_label(place& label) noexcept;
/// A range or a map that is destroyed, or left at the end: its unused labels are no GUIDs any more.
void free_range(place& at) noexcept;
/// At the end of a program, when nobody waits and all objects are gone.
void free_all_labels() noexcept;
/// Who waits for labels looks again, because the program ends.
void wake_label_waiters() noexcept;

/// Whose labels these events have.
ocrGuidUserKind kind_of_event(ocrEventTypes_t type) noexcept;

/// The label of an object that is about to be made.
class label_claim {
 public:
  /// `guid`: as the creating call was given it; `props`: with its GUID_PROP_ bits. Waits where these say so. Afterwards
  /// error() is what the call returns, unless 0.
  label_claim(const ocrGuid_t* guid, unsigned props, ocrGuidUserKind of) noexcept;
  label_claim(const label_claim&) = delete;
  label_claim& operator=(const label_claim&) = delete;
  ~label_claim(); // of an object that was not made: the label is free again

  std::uint8_t error() const noexcept { return m_error; }
  /// The object, before publish().
  void attach(place& at);
  /// After publish(): what the program sees as its GUID.
  std::uint64_t complete(std::uint64_t guid) noexcept;

 private:
  bool take(unsigned props) noexcept;

  std::uint8_t m_error = 0;
  place* m_label = nullptr; // to be freed unless completed
  std::uint64_t m_guid = 0;
};

} // namespace treadle::ocr
