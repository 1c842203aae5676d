#ifndef __OCR_DB_H__
#define __OCR_DB_H__

#include "ocr-types.h"
#include "ocr-version.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A block of `len` bytes, which the calling EDT may use at *addr until it releases the block or ends. With
 * DB_PROP_NO_ACQUIRE *addr is NULL. Not zeroed. */
u8 ocrDbCreate(ocrGuid_t* db, void** addr, u64 len, u16 flags, ocrHint_t* hint, ocrInDbAllocator_t allocator);

/* It is freed when the EDTs that have acquired it before have released it. */
u8 ocrDbDestroy(ocrGuid_t db);

/* The calling EDT does not use it any more, and others see what it wrote. */
u8 ocrDbRelease(ocrGuid_t db);

/* Others see what the calling EDT wrote, which may go on to read. */
u8 ocrDbDowngradeRelease(ocrGuid_t db);

/* Allocation inside a block, and copies between blocks: not supported, OCR_EINVAL. */
u8 ocrDbMalloc(ocrGuid_t guid, u64 size, void** addr);
u8 ocrDbMallocOffset(ocrGuid_t guid, u64 size, u64* offset);
u8 ocrDbFree(ocrGuid_t guid, void* addr);
u8 ocrDbFreeOffset(ocrGuid_t guid, u64 offset);
u8 ocrDbCopy(ocrGuid_t destination, u64 destinationOffset, ocrGuid_t source, u64 sourceOffset, u64 size, u64 copyType,
             ocrGuid_t* completionEvt);

#ifdef __cplusplus
}
#endif

#endif
