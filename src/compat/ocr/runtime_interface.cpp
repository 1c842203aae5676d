// What an EDT may ask about itself and the runtime.

#include "compat/ocr/edt.hpp"
#include "compat/ocr/report.hpp"

#include <treadle/runtime.hpp>
#include <treadle/this_task.hpp>

using namespace treadle::ocr;

namespace {

ocrGuid_t* storage_of_current() {
  edt* const self = current_edt();
  if (!self) return nullptr;
  const treadle::detail::scoped_lock hold(self->at().lock);
  return extras_of(self->at()).storage;
}

} // namespace

ocrGuid_t ocrElsUserGet(u8 offset) {
  const ocrGuid_t* const storage = storage_of_current();
  return storage && offset < ELS_USER_SIZE ? storage[offset] : NULL_GUID;
}

void ocrElsUserSet(u8 offset, ocrGuid_t data) {
  ocrGuid_t* const storage = storage_of_current();
  if (storage && offset < ELS_USER_SIZE)
    storage[offset] = data;
  else
    report({"ocrElsUserSet", OCR_EINVAL, "outside of EDTs, or no such place"}, word_of(data));
}

u8 ocrEdtLocalStorageGet(void** data, u64* size) {
  ocrGuid_t* const storage = data && size ? storage_of_current() : nullptr;
  if (!storage) return refuse({"ocrEdtLocalStorageGet", OCR_EINVAL, "outside of EDTs, or no place for the result"}, 0);
  *data = storage;
  *size = ELS_USER_SIZE * sizeof *storage;
  return 0;
}

u8 ocrCurrentEdtGet(ocrGuid_t* guid) {
  if (!guid) return refuse({"ocrCurrentEdtGet", OCR_EINVAL, "no place for the GUID"}, 0);
  edt* const self = current_edt();
  *guid = self ? guid_of(self->guid()) : NULL_GUID;
  return 0;
}

u8 ocrCurrentEdtOutputGet(ocrGuid_t* guid) {
  if (!guid) return refuse({"ocrCurrentEdtOutputGet", OCR_EINVAL, "no place for the GUID"}, 0);
  const edt* const self = current_edt();
  *guid = self ? guid_of(self->shown_output) : NULL_GUID;
  return 0;
}

void currentEdtUserGet(ocrGuid_t* guid) { static_cast<void>(ocrCurrentEdtGet(guid)); }

u64 ocrNbWorkers() { return treadle::runtime::current().workers(); }

// The number of the worker, and one more: no GUID of an object, and not NULL_GUID.
void ocrCurrentWorkerGuid(ocrGuid_t* worker) {
  if (worker) *worker = guid_of(static_cast<std::uint64_t>(treadle::this_task::worker_index() + 1));
}

// A thread that waits in ocrLegacyBlockProgress() sleeps anyway, and an EDT that does suspends.
u8 ocrInformLegacyCodeBlocking() { return 0; }
