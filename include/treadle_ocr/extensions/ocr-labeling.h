#ifndef __OCR_LABELING_H__
#define __OCR_LABELING_H__

#include "../ocr-types.h"

#ifdef ENABLE_EXTENSION_LABELING

#ifdef __cplusplus
extern "C" {
#endif

typedef enum {
  GUID_USER_NONE = 0,
  GUID_USER_DB = 2,
  GUID_USER_EDT = 3,
  GUID_USER_EDT_TEMPLATE = 4,
  GUID_USER_EVENT_ONCE = 17,
#ifdef ENABLE_EXTENSION_COUNTED_EVT
  GUID_USER_EVENT_COUNTED = 18,
#endif
  GUID_USER_EVENT_IDEM = 19,
  GUID_USER_EVENT_STICKY = 21,
  GUID_USER_EVENT_LATCH = 22
#ifdef ENABLE_EXTENSION_COLLECTIVE_EVT
  ,
  GUID_USER_EVENT_COLLECTIVE = 24
#endif
} ocrGuidUserKind;

/* Makes a GUID of a range from `tuple`: start plus an index times skip, by addValueToGuid(). */
typedef ocrGuid_t (*ocrGuidMapFunc_t)(ocrGuid_t startGuid, u64 skipGuid, s64* params, s64* tuple);

/* `count` GUIDs for objects of a kind, which are created with GUID_PROP_IS_LABELED, _CHECK or _BLOCK. */
u8 ocrGuidRangeCreate(ocrGuid_t* range, u64 count, ocrGuidUserKind kind);
u8 ocrGuidFromIndex(ocrGuid_t* guid, ocrGuid_t range, u64 index);

/* The same with a function that finds them; `params` are copied. */
u8 ocrGuidMapCreate(ocrGuid_t* map, u32 numParams, ocrGuidMapFunc_t function, s64* params, u64 count,
                    ocrGuidUserKind kind);
u8 ocrGuidFromLabel(ocrGuid_t* guid, ocrGuid_t map, s64* tuple);
/* Not supported: OCR_ENOTSUP. */
u8 ocrGuidMapSetDefaultMap(u32 numParams, ocrGuidMapFunc_t function, s64* params, u64 count, ocrGuidUserKind kind);

/* Labels in use stay. */
u8 ocrGuidMapDestroy(ocrGuid_t map);
u8 ocrGuidRangeDestroy(ocrGuid_t range);

/* GUID_USER_NONE: nothing, or not what can have a label. */
u8 ocrGetGuidKind(ocrGuidUserKind* kind, ocrGuid_t guid);

#ifdef __cplusplus
}
#endif

#endif

#endif
