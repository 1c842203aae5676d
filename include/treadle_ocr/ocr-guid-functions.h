#ifndef __OCR_GUID_FUNCTIONS_H__
#define __OCR_GUID_FUNCTIONS_H__

#include "ocr-types.h"

/* printf("guid " GUIDF "\n", GUIDA(guid)) */
#define GUIDF "0x%" PRIxPTR
#define GUIDA(g) (g).guid
#define GUIDSx GUIDF
#define GUIDLx GUIDF
#define GUIDFS(g) GUIDA(g)
#define GUIDFL(g) GUIDA(g)

static inline bool ocrGuidIsEq(ocrGuid_t a, ocrGuid_t b) { return a.guid == b.guid; }
static inline bool ocrGuidIsLt(ocrGuid_t a, ocrGuid_t b) { return a.guid < b.guid; }
static inline bool ocrGuidIsNull(ocrGuid_t g) { return g.guid == 0; }
static inline bool ocrGuidIsUninitialized(ocrGuid_t g) { return g.guid == -2; }
static inline bool ocrGuidIsError(ocrGuid_t g) { return g.guid == -1; }

static inline ocrGuid_t addValueToGuid(ocrGuid_t g, u64 value) {
  g.guid = OCR_TREADLE_AS(intptr_t, OCR_TREADLE_AS(u64, g.guid) + value);
  return g;
}

/* The names before 1.1 */
static inline bool IS_GUID_NULL(ocrGuid_t g) { return ocrGuidIsNull(g); }
static inline bool IS_GUID_UNINITIALIZED(ocrGuid_t g) { return ocrGuidIsUninitialized(g); }
static inline bool IS_GUID_ERROR(ocrGuid_t g) { return ocrGuidIsError(g); }
static inline bool IS_GUID_EQUAL(ocrGuid_t a, ocrGuid_t b) { return ocrGuidIsEq(a, b); }
static inline bool IS_GUID_LESS_THAN(ocrGuid_t a, ocrGuid_t b) { return ocrGuidIsLt(a, b); }
#define GUID_ASSIGN_VALUE(a, b) ((a) = (b))
#define GUID_SIZE(g) GUID_BIT_COUNT

#endif
