#include "compat/ocr/labels.hpp"

#include "compat/ocr/extras.hpp"
#include "compat/ocr/program.hpp"

#include <treadle/condition_variable.hpp>
#include <treadle/mutex.hpp>

#include <mutex>
#include <utility>

namespace treadle::ocr {

using detail::order;

namespace {

// Of those that wait for any label; there is no hurry.
mutex waiting_lock;
condition_variable label_is_free;
detail::atomic<std::uint32_t> waiters{0};

} // namespace

reference resolve_label(place& at) noexcept {
  // acquire: pairs with complete(); the object's place is in order.
  const std::uint64_t guid = at.as<label>().current.load(order::acquire);
  if (guid == 0 || guid == label::k_taken) return {};
  place* const found = find(guid);
  return found ? reference{found, guid} : reference{};
}

void wake_label_waiters() noexcept {
  if (waiters.load(order::seq_cst) == 0) return;
  const std::lock_guard guard(waiting_lock);
  label_is_free.notify_all();
}

void free_label(place& at) noexcept {
  at.as<label>().current.store(0, order::seq_cst); // pairs with the count of waiters: one of both sees the other's
  wake_label_waiters();
}

bool label_claim::take(unsigned props) noexcept {
  label& wanted = m_label->as<label>();
  std::uint64_t expected = 0;
  // acquire: what the object before did has happened.
  if (wanted.current.compare_exchange(expected, label::k_taken, order::acq_rel, order::relaxed)) return true;
  if ((props & GUID_PROP_BLOCK) != GUID_PROP_BLOCK) return false;
  waiters.fetch_add(1, order::seq_cst);
  bool is_taken = false;
  {
    std::unique_lock guard(waiting_lock);
    label_is_free.wait(guard, [&] {
      expected = 0;
      is_taken = wanted.current.compare_exchange(expected, label::k_taken, order::seq_cst, order::relaxed);
      return is_taken || is_stopping();
    });
  }
  waiters.fetch_sub(1, order::relaxed);
  return is_taken;
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
  std::exchange(m_label, nullptr)->as<label>().current.store(guid, order::release); // pairs with resolve_label()
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
