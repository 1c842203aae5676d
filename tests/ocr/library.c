/* OCR as a library of a C program with its own main(): sums, an EDT for each. */

#include "ocr.h"

#include "extensions/ocr-legacy.h"

#include <stdio.h>

/* A block with the sum of the numbers in its slots. */
static ocrGuid_t add(u32 paramc, u64* paramv, u32 depc, ocrEdtDep_t depv[]) {
  ocrGuid_t sum;
  void* memory;
  u64 i;
  (void)paramc;
  (void)paramv;
  ocrDbCreate(&sum, &memory, sizeof(u64), DB_PROP_NONE, NULL_HINT, NO_ALLOC);
  *(u64*)memory = 0;
  for (i = 0; i < depc; ++i) *(u64*)memory += *(u64*)depv[i].ptr;
  return sum;
}

int main(int argc, char** argv) {
  ocrConfig_t config;
  ocrGuid_t context, adding, handle, parts[3], result;
  void* memory;
  u64 i, round, size;
  ocrParseArgs(argc, (const char**)argv, &config);
  ocrLegacyInit(&context, &config);
  if (ocrEdtTemplateCreate(&adding, add, 0, 3) != 0) return 1;
  for (round = 0; round < 100; ++round) {
    for (i = 0; i < 3; ++i) {
      if (ocrDbCreate(&parts[i], &memory, sizeof(u64), DB_PROP_NONE, NULL_HINT, NO_ALLOC) != 0) return 2;
      *(u64*)memory = round + i;
      ocrDbRelease(parts[i]);
    }
    if (ocrLegacySpawnOCR(&handle, adding, 0, NULL, 3, parts, context) != 0) return 3;
    if (ocrLegacyBlockProgress(handle, &result, &memory, &size, LEGACY_PROP_NONE) != 0) return 4;
    if (size != sizeof(u64) || *(u64*)memory != 3 * round + 3) return 5;
    for (i = 0; i < 3; ++i) ocrDbDestroy(parts[i]);
    ocrDbDestroy(result);
    ocrEventDestroy(handle);
  }
  ocrEdtTemplateDestroy(adding);
  printf("done\n");
  return ocrLegacyFinalize(context, false);
}
