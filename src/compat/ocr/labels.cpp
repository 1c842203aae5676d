#include "compat/ocr/labels.hpp"

#include "compat/ocr/extras.hpp"
#include "compat/ocr/program.hpp"

#include <treadle/condition_variable.hpp>
#include <treadle/mutex.hpp>

#include <utility>

namespace treadle::ocr {

using detail::order;

namespace {

label_waiters<mutex, condition_variable> waiters;

} // namespace

reference resolve_label(place& at) noexcept {
  const std::uint64_t guid = at.as<label>().current.object();
  if (guid == 0) return {};
  place* const found = find(guid);
  return found ? reference{found, guid} : reference{};
}

void wake_label_waiters() noexcept { waiters.wake(); }

void free_label(place& at) noexcept {
  at.as<label>().current.free();
  waiters.wake();
}

bool label_claim::take(unsigned props) noexcept {
  label_word& wanted = m_label->as<label>().current;
  if (wanted.take()) return true;
  return (props & GUID_PROP_BLOCK) == GUID_PROP_BLOCK && waiters.take(wanted, is_stopping_now);
}

label_claim::label_claim(const ocrGuid_t* guid, unsigned props, ocrGuidUserKind of) noexcept {
  if (TREADLE_LIKELY((props & GUID_PROP_IS_LABELED) == 0)) return;
  place* const found = guid ? find(word_of(*guid)) : nullptr;
  if (!found || found->what.load(order::relaxed) != kind::label || found->as<label>().of != of) {
    m_error = OCR_EINVAL;
    return;
  }
  m_label = found;
  m_guid = word_of(*guid);
  if (take(props)) return;
  m_label = nullptr;
  m_error = OCR_EGUIDEXISTS;
}

label_claim::~label_claim() {
  if (TREADLE_UNLIKELY(m_label != nullptr)) free_label(*m_label);
}

void label_claim::attach(place& at) {
  if (TREADLE_LIKELY(!m_label)) return;
  extras& more = extras_of(at);
  more.label = m_label;
  more.label_guid = m_guid;
}

std::uint64_t label_claim::complete(std::uint64_t guid) noexcept {
  if (TREADLE_LIKELY(!m_label)) return guid;
  std::exchange(m_label, nullptr)->as<label>().current.complete(guid);
  return m_guid;
}

ocrGuidUserKind kind_of_event(ocrEventTypes_t type) noexcept {
  switch (type) {
  case OCR_EVENT_ONCE_T:
    return GUID_USER_EVENT_ONCE;
  case OCR_EVENT_COUNTED_T:
    return GUID_USER_EVENT_COUNTED;
  case OCR_EVENT_IDEM_T:
    return GUID_USER_EVENT_IDEM;
  case OCR_EVENT_STICKY_T:
    return GUID_USER_EVENT_STICKY;
  case OCR_EVENT_LATCH_T:
    return GUID_USER_EVENT_LATCH;
  case OCR_EVENT_COLLECTIVE_T:
    return GUID_USER_EVENT_COLLECTIVE;
  default:
    return GUID_USER_NONE;
  }
}

} // namespace treadle::ocr
