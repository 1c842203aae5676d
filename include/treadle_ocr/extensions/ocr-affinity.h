#ifndef __OCR_AFFINITY_H__
#define __OCR_AFFINITY_H__

#include "../ocr-types.h"

#ifdef ENABLE_EXTENSION_AFFINITY

#ifdef __cplusplus
extern "C" {
#endif

/* The process is one domain, whose GUID is NULL_GUID: Treadle's pools place work (docs/guide/pools.md). */

typedef enum {
  AFFINITY_CURRENT = 0,
  AFFINITY_PD = 1,
  AFFINITY_PD_MASTER = 2,
  AFFINITY_SIM = 3,
  AFFINITY_GUID = 4
} ocrAffinityKind;

u8 ocrAffinityCount(ocrAffinityKind kind, u64* count);
/* *count: what there is room for, and afterwards what there is. */
u8 ocrAffinityGet(ocrAffinityKind kind, u64* count, ocrGuid_t* affinities);
u8 ocrAffinityGetAt(ocrAffinityKind kind, u64 i, ocrGuid_t* affinity);
u8 ocrAffinityGetCurrent(ocrGuid_t* affinity);
u8 ocrAffinityQuery(ocrGuid_t guid, u64* count, ocrGuid_t* affinities);
u64 ocrAffinityToHintValue(ocrGuid_t affinity);

#ifdef __cplusplus
}
#endif

#endif

#endif
