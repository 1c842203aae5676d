// The calls for affinities: the process is one domain.

#include "compat/ocr/report.hpp"

using namespace treadle::ocr;

u8 ocrAffinityCount(ocrAffinityKind, u64* count) {
  if (!count) return refuse({"ocrAffinityCount", OCR_EINVAL, "no place for the count"}, 0);
  *count = 1;
  return 0;
}

u8 ocrAffinityGet(ocrAffinityKind, u64* count, ocrGuid_t* affinities) {
  if (!count || (*count != 0 && !affinities))
    return refuse({"ocrAffinityGet", OCR_EINVAL, "no place for the result"}, 0);
  if (*count != 0) affinities[0] = NULL_GUID;
  *count = 1;
  return 0;
}

u8 ocrAffinityGetAt(ocrAffinityKind, u64 i, ocrGuid_t* affinity) {
  if (!affinity || i != 0) return refuse({"ocrAffinityGetAt", OCR_EINVAL, "there is one affinity"}, 0);
  *affinity = NULL_GUID;
  return 0;
}

u8 ocrAffinityGetCurrent(ocrGuid_t* affinity) { return ocrAffinityGetAt(AFFINITY_CURRENT, 0, affinity); }

u8 ocrAffinityQuery(ocrGuid_t, u64* count, ocrGuid_t* affinities) {
  if (affinities && (!count || *count != 0)) affinities[0] = NULL_GUID;
  if (count) *count = 1;
  return 0;
}

u64 ocrAffinityToHintValue(ocrGuid_t affinity) { return word_of(affinity); }
