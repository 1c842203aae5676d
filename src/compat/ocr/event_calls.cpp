// The calls for events and dependences.

#include "compat/ocr/block.hpp"
#include "compat/ocr/edt.hpp"
#include "compat/ocr/event.hpp"
#include "compat/ocr/labels.hpp"
#include "compat/ocr/program.hpp"
#include "compat/ocr/report.hpp"
#include "compat/ocr/spawn.hpp"

#include <new>

namespace treadle::ocr {

namespace {

std::uint8_t create_event(ocrGuid_t* guid, ocrEventTypes_t type, unsigned props, const ocrEventParams_t* params) try {
  constexpr const char* call = "ocrEventCreate";
  if (!guid) return refuse({call, OCR_EINVAL, "no place for the GUID"}, 0);
  if (const std::uint8_t wrong = check_event(type, props, params)) {
    *guid = NULL_GUID;
    return refuse({call, wrong, "no such event: type, properties or parameters"}, 0);
  }
  label_claim claim(guid, props, kind_of_event(type));
  if (claim.error() != 0) {
    if (claim.error() != OCR_EGUIDEXISTS) *guid = NULL_GUID;
    return claim.error() == OCR_EGUIDEXISTS ? claim.error() : refuse({call, claim.error(), "no such label"}, 0);
  }
  const reference made = make_event(type, (props & EVT_PROP_TAKES_ARG) != 0, params, &claim);
  *guid = guid_of(claim.complete(made.guid));
  return 0;
} catch (const std::bad_alloc&) {
  *guid = NULL_GUID;
  return refuse({"ocrEventCreate", OCR_ENOMEM, "no memory"}, 0);
}

/// The checker's: who satisfies with a block that he may still write to lets others see it too early.
void check_released(ocrGuid_t db) {
  edt* const self = current_edt();
  ocrDbAccessMode_t mode = DB_MODE_NULL;
  if (!self || ocrGuidIsNull(db) || !self->holds(db, mode) || (mode != DB_MODE_RW && mode != DB_MODE_EW)) return;
  report({"ocrEventSatisfy", OCR_EACQ, "a block is passed on before it is released"}, word_of(db));
}

std::uint8_t satisfy(const char* call, ocrGuid_t guid, ocrGuid_t db, std::uint32_t slot) {
  if (ocrGuidIsNull(guid) && ocrGuidIsNull(db)) return 0;
  const reference found = resolve(guid, kind::event);
  if (!found) return refuse({call, OCR_EINVAL, "no event"}, guid);
  if (!ocrGuidIsNull(db) && resolve(db).what() != kind::block) {
    const place* const was = place_of(word_of(db)); // a block that is destroyed meanwhile is an error of who uses it
    if (!was || was->what.load(detail::order::relaxed) != kind::block)
      return refuse({call, OCR_EINVAL, "satisfied with what is no block"}, db);
  }
  if (is_checking()) check_released(db);
  fired next;
  const std::uint8_t code = satisfy_event(found, word_of(db), slot, next);
  if (!next.is_empty()) deliver(next);
  if (code == 0) return 0;
  return refuse({call, code,
                 code == OCR_EPERM    ? "satisfied a second time, or with a block that it does not take"
                 : code == OCR_ENOSPC ? "more satisfactions than its bound"
                                      : "no such slot, or the event is gone"},
                guid);
}

const char* wrong_target(const target& to, const reference& found, std::uint8_t& code) noexcept {
  code = OCR_EINVAL;
  switch (found.what()) {
  case kind::edt:
    return to.slot < edt::of(*found.at).depc() ? nullptr : "the EDT has no such slot";
  case kind::event: {
    const event& self = found.at->as<event>();
    if (self.type == OCR_EVENT_COLLECTIVE_T) break;
    return to.slot <= (self.type == OCR_EVENT_LATCH_T ? 1U : 0U) ? nullptr : "the event has no such slot";
  }
  case kind::none:
    return "the destination is nothing";
  default:
    break;
  }
  code = OCR_EPERM;
  return "the destination is neither EDT nor event";
}

std::uint8_t dependence(const char* call, ocrGuid_t source, std::uint32_t source_slot, ocrGuid_t destination,
                        std::uint32_t slot, unsigned mode) try {
  if (ocrGuidIsNull(source) && ocrGuidIsNull(destination)) return 0;
  if (mode > DB_MODE_RO || (mode & (mode - 1)) != 0) return refuse({call, OCR_EINVAL, "no access mode"}, destination);
  const target to{word_of(destination), slot, static_cast<ocrDbAccessMode_t>(mode)};
  std::uint8_t code = 0;
  if (const char* const wrong = wrong_target(to, resolve(destination), code))
    return refuse({call, code, wrong}, destination);
  code = add_dependence(word_of(source), source_slot, to);
  if (code == 0) return 0;
  return refuse(
      {call, code, code == OCR_EPERM ? "not possible between these two, or satisfied before" : "source or slot"},
      code == OCR_EPERM ? destination : source);
} catch (const std::bad_alloc&) {
  return refuse({call, OCR_ENOMEM, "no memory"}, destination);
}

} // namespace

std::uint8_t add_dependence(std::uint64_t source, std::uint32_t source_slot, const target& to) {
  if (source == 0) return deliver_now(to, 0);
  const reference found = resolve(source);
  switch (found.what()) {
  case kind::block:
    return deliver_now(to, source);
  case kind::event: {
    fired now;
    const std::uint8_t code = add_waiter(found, to, source_slot, now);
    return code == 0 && !now.is_empty() ? deliver_now(now.first, now.db) : code;
  }
  case kind::none:
    return OCR_EINVAL;
  default:
    return OCR_EPERM;
  }
}

} // namespace treadle::ocr

using namespace treadle::ocr;

u8 ocrEventCreate(ocrGuid_t* guid, ocrEventTypes_t type, u16 props) { return create_event(guid, type, props, nullptr); }
u8 ocrEventCreateParams(ocrGuid_t* guid, ocrEventTypes_t type, u16 props, ocrEventParams_t* params) {
  return create_event(guid, type, props, params);
}

u8 ocrEventDestroy(ocrGuid_t guid) {
  const reference found = resolve(guid, kind::event);
  if (found && is_checking()) {
    const event& self = found.at->as<event>();
    if (self.type == OCR_EVENT_ONCE_T || self.type == OCR_EVENT_LATCH_T || self.first.guid != 0)
      report({"ocrEventDestroy", OCR_EPERM, "an event that ends by itself, or that is waited for"}, word_of(guid));
  }
  if (!found || !destroy_event(found)) return refuse({"ocrEventDestroy", OCR_EINVAL, "no event"}, guid);
  return 0;
}

u8 ocrEventSatisfy(ocrGuid_t guid, ocrGuid_t db) { return satisfy("ocrEventSatisfy", guid, db, 0); }
u8 ocrEventSatisfySlot(ocrGuid_t guid, ocrGuid_t db, u32 slot) {
  return satisfy("ocrEventSatisfySlot", guid, db, slot);
}

u8 ocrEventCollectiveSatisfySlot(ocrGuid_t guid, void* data, u32 contributor) try {
  const reference found = resolve(guid, kind::event);
  fired next;
  const u8 code = found ? contribute(found, data, contributor, next) : u8{OCR_EINVAL};
  if (!next.is_empty()) deliver(next);
  return code == 0
             ? code
             : refuse({"ocrEventCollectiveSatisfySlot", code, "no collective event, no data, or its bound"}, guid);
} catch (const std::bad_alloc&) {
  return refuse({"ocrEventCollectiveSatisfySlot", OCR_ENOMEM, "no memory"}, guid);
}

u8 ocrAddDependence(ocrGuid_t source, ocrGuid_t destination, u32 slot, ocrDbAccessMode_t mode) {
  return dependence("ocrAddDependence", source, 0, destination, slot, static_cast<unsigned>(mode));
}
u8 ocrAddDependenceSlot(ocrGuid_t source, u32 sourceSlot, ocrGuid_t destination, u32 slot, ocrDbAccessMode_t mode) {
  return dependence("ocrAddDependenceSlot", source, sourceSlot, destination, slot, static_cast<unsigned>(mode));
}
