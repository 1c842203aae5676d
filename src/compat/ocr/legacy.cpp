// OCR as a library of a program with its own main().

#include "compat/ocr/block.hpp"
#include "compat/ocr/channel.hpp"
#include "compat/ocr/command_line.hpp"
#include "compat/ocr/event.hpp"
#include "compat/ocr/program.hpp"
#include "compat/ocr/report.hpp"
#include "compat/ocr/spawn.hpp"
#include "compat/ocr/waiting.hpp"

#include <treadle/this_task.hpp>

#include <memory>
#include <new>

using namespace treadle::ocr;

void ocrParseArgs(int argc, const char* argv[], ocrConfig_t* config) {
  if (!config) return;
  auto** const arguments = const_cast<char**>(argv);
  take_options(argc, arguments);
  *config = {argc, arguments, nullptr};
}

void ocrLegacyInit(ocrGuid_t* context, ocrConfig_t*) {
  if (context) *context = NULL_GUID;
  if (is_begun())
    report({"ocrLegacyInit", OCR_EPERM, "it is initialised already"}, 0);
  else
    begin_program({.prints_reports = true});
}

u8 ocrLegacyFinalize(ocrGuid_t, bool runUntilShutdown) {
  if (!is_begun()) return 0;
  return static_cast<u8>(end_program(runUntilShutdown ? ends::when_stopped : ends::when_idle).code);
}

u8 ocrLegacySpawnOCR(ocrGuid_t* handle, ocrGuid_t edtTemplate, u64 paramc, u64* paramv, u64 depc, ocrGuid_t* depv,
                     ocrGuid_t) try {
  constexpr const char* call = "ocrLegacySpawnOCR";
  if (!handle) return refuse({call, OCR_EINVAL, "no place for the handle"}, edtTemplate);
  const ocrGuid_t event = guid_of(make_event(OCR_EVENT_STICKY_T, true, nullptr).guid);
  ocrGuid_t output = event;
  const u8 code = create_edt(call, {.from = edtTemplate,
                                    .paramc = static_cast<u32>(paramc),
                                    .paramv = paramv,
                                    .depc = static_cast<u32>(depc),
                                    .depv = depv,
                                    .props = EDT_PROP_FINISH | EDT_PROP_OEVT_VALID,
                                    .output = &output,
                                    .keeps_result = true});
  if (code == 0)
    *handle = event;
  else
    static_cast<void>(ocrEventDestroy(event));
  return code;
} catch (const std::bad_alloc&) {
  return OCR_ENOMEM;
}

namespace {

/// Persistent, or 0.
reference find_persistent(ocrGuid_t guid) noexcept {
  const reference found = resolve(guid, kind::event);
  if (!found) return {};
  switch (found.at->as<event>().type) {
  case OCR_EVENT_IDEM_T:
  case OCR_EVENT_STICKY_T:
  case OCR_EVENT_COUNTED_T:
  case OCR_EVENT_CHANNEL_T:
    return found;
  default:
    return {};
  }
}

bool is_satisfied(const reference& what) noexcept {
  const treadle::detail::scoped_lock hold(what.at->lock);
  const event& self = what.at->as<event>();
  return self.is_satisfied || (self.type == OCR_EVENT_CHANNEL_T && static_cast<const channel*>(self.rest)->is_ready());
}

} // namespace

u8 ocrLegacyBlockProgress(ocrGuid_t guid, ocrGuid_t* db, void** result, u64* size, u16 properties) {
  constexpr const char* call = "ocrLegacyBlockProgress";
  reference found = find_persistent(guid);
  const bool waits = (properties & LEGACY_PROP_CHECK) == 0;
  // Somebody else is about to create it with this label, and there is nothing to be told by.
  while (!found && waits && (properties & LEGACY_PROP_WAIT_FOR_CREATE) != 0 && !is_stopping()) {
    treadle::this_task::sleep_for_ns(100'000);
    found = find_persistent(guid);
  }
  if (!found) return refuse({call, OCR_EINVAL, "no event, or one that goes when it is satisfied"}, guid);
  if (!waits && !is_satisfied(found)) return OCR_EINVAL;
  u64 payload = 0;
  if (const u8 code = wait_for_event(found.guid, payload))
    return refuse({call, code, "the wait ended without it"}, guid);
  const reference of = resolve(payload, kind::block);
  if (of && result) stop_watching(*of.at);
  if (db) *db = guid_of(payload);
  if (result) *result = of ? of.at->as<block>().data : nullptr;
  if (size) *size = of ? of.at->as<block>().bytes : 0;
  return 0;
}

ocrGuid_t ocrWait(ocrGuid_t event) {
  ocrGuid_t db = NULL_GUID;
  return ocrLegacyBlockProgress(event, &db, nullptr, nullptr, LEGACY_PROP_NONE) == 0 ? db : ERROR_GUID;
}

bool ocrLegacyIsChannelReady(ocrGuid_t guid) {
  const reference found = resolve(guid, kind::event);
  return found && found.at->as<event>().type == OCR_EVENT_CHANNEL_T && is_satisfied(found);
}
