// The calls for data blocks.

#include "compat/ocr/block.hpp"
#include "compat/ocr/edt.hpp"
#include "compat/ocr/extras.hpp"
#include "compat/ocr/hints.hpp"
#include "compat/ocr/labels.hpp"
#include "compat/ocr/report.hpp"

#include <new>
#include <utility>

using namespace treadle::ocr;

namespace {

constexpr unsigned k_props =
    DB_PROP_NO_ACQUIRE | DB_PROP_SINGLE_ASSIGNMENT | DB_PROP_NO_HINT | GUID_PROP_CHECK | GUID_PROP_BLOCK;

/// Of a block that was made outside of EDTs. False: nobody outside has it.
bool release_outside(const reference& what) noexcept {
  const treadle::detail::scoped_lock hold(what.at->lock);
  return what.is_alive() && std::exchange(what.at->as<block>().is_outside, false);
}

u8 release(const char* call, ocrGuid_t db) {
  if (ocrGuidIsNull(db)) return 0;
  edt* const self = current_edt();
  u8 code = 0;
  if (self) {
    code = self->release_held(db);
  } else {
    const reference found = resolve(db, kind::block);
    code = !found ? u8{OCR_EINVAL} : release_outside(found) ? u8{0} : u8{OCR_EACCES};
  }
  if (code == 0) return 0;
  return refuse({call, code, code == OCR_EINVAL ? "no block" : "the EDT has not acquired it, or released it before"},
                db);
}

} // namespace

u8 ocrDbCreate(ocrGuid_t* db, void** addr, u64 len, u16 flags, ocrHint_t* hint, ocrInDbAllocator_t allocator) try {
  if (addr) *addr = nullptr;
  const bool is_acquired = (flags & DB_PROP_NO_ACQUIRE) == 0;
  if (!db || (!addr && is_acquired) || len == 0 || allocator != NO_ALLOC || (flags & ~k_props) != 0)
    return refuse({"ocrDbCreate", OCR_EINVAL, "no place for the results, no bytes, unknown flags or allocator"}, 0);
  label_claim claim(db, flags, GUID_USER_DB);
  if (claim.error() == OCR_EGUIDEXISTS) return OCR_EGUIDEXISTS;
  if (claim.error() != 0) return refuse({"ocrDbCreate", claim.error(), "no such label"}, *db);
  const reference made = make_block(len, flags, is_acquired ? current_edt() : nullptr, &claim);
  if ((flags & DB_PROP_NO_HINT) == 0) give_hints(*made.at, hint);
  if (is_acquired) *addr = made.at->as<block>().data;
  *db = guid_of(claim.complete(made.guid));
  return 0;
} catch (const std::bad_alloc&) {
  return refuse({"ocrDbCreate", OCR_ENOMEM, "no memory"}, 0);
}

u8 ocrDbDestroy(ocrGuid_t db) {
  if (ocrGuidIsNull(db)) return 0;
  const reference found = resolve(db, kind::block);
  if (!found) {
    const place* const was = place_of(word_of(db));
    const bool is_former = was && was->what.load(treadle::detail::order::relaxed) == kind::block;
    return is_former ? refuse({"ocrDbDestroy", OCR_EPERM, "destroyed before"}, db)
                     : refuse({"ocrDbDestroy", OCR_EINVAL, "no block"}, db);
  }
  // The caller's hold ends, too, if it has one.
  if (edt* const self = current_edt()) static_cast<void>(self->release_held(db));
  return destroy_block(found) ? u8{0} : refuse({"ocrDbDestroy", OCR_EPERM, "destroyed before"}, db);
}

u8 ocrDbRelease(ocrGuid_t db) { return release("ocrDbRelease", db); }

u8 ocrDbDowngradeRelease(ocrGuid_t db) {
  if (ocrGuidIsNull(db)) return 0;
  const reference found = resolve(db, kind::block);
  if (!found) return refuse({"ocrDbDowngradeRelease", OCR_EINVAL, "no block"}, db);
  edt* const self = current_edt();
  if (self ? self->downgrade(db) : found.at->as<block>().is_outside) return 0;
  return refuse({"ocrDbDowngradeRelease", OCR_EACCES, "the EDT has not acquired it, or released it before"}, db);
}

u8 ocrDbGetSize(ocrGuid_t db, u64* size) {
  const reference found = resolve(db, kind::block);
  if (!found || !size) return refuse({"ocrDbGetSize", OCR_EINVAL, "no block, or no place for the size"}, db);
  edt* const self = current_edt();
  ocrDbAccessMode_t mode = DB_MODE_NULL;
  if (self && !self->holds(db, mode)) return refuse({"ocrDbGetSize", OCR_EACCES, "the EDT has not acquired it"}, db);
  *size = found.at->as<block>().bytes;
  return 0;
}

u8 ocrDbMalloc(ocrGuid_t, u64, void**) { return OCR_EINVAL; }
u8 ocrDbMallocOffset(ocrGuid_t, u64, u64*) { return OCR_EINVAL; }
u8 ocrDbFree(ocrGuid_t, void*) { return OCR_EINVAL; }
u8 ocrDbFreeOffset(ocrGuid_t, u64) { return OCR_EINVAL; }
u8 ocrDbCopy(ocrGuid_t, u64, ocrGuid_t, u64, u64, u64, ocrGuid_t*) { return OCR_EINVAL; }
