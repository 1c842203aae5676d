#ifndef __OCR_VERSION_H__
#define __OCR_VERSION_H__

#include "ocr-types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The number that 1.2 has kept. */
#define OCR_MAJOR_VERSION 1
#define OCR_MINOR_VERSION 1
#define OCR_PATCH_VERSION 0

#define tostring(s) #s
#define strmacro(s) tostring(s)
#define DOT .
#define OCR_VERSION strmacro(OCR_MAJOR_VERSION) "." strmacro(OCR_MINOR_VERSION) "." strmacro(OCR_PATCH_VERSION)

u32 ocrVersionExtractMajor(u8* version);
u32 ocrVersionExtractMinor(u8* version);
u32 ocrVersionExtractPatch(u8* version);
#define OCR_VERSION_GET_MAJOR(version) ocrVersionExtractMajor((u8*)(version))
#define OCR_VERSION_GET_MINOR(version) ocrVersionExtractMinor((u8*)(version))
#define OCR_VERSION_GET_PATCH(version) ocrVersionExtractPatch((u8*)(version))

#define EXTENSION_LEGACY_BITPOS 1
#define EXTENSION_AFFINITY_BITPOS 2
#define EXTENSION_PARAMS_EVT_BITPOS 3
#define EXTENSION_COUNTED_EVT_BITPOS 4
#define EXTENSION_RTITF_BITPOS 5
#define EXTENSION_PAUSE_BITPOS 6
#define EXTENSION_LABELING_BITPOS 7

#define OCR_VERSION_LEGACY_BIT (OCR_TREADLE_AS(u64, 1) << EXTENSION_LEGACY_BITPOS)
#define OCR_VERSION_AFFINITY_BIT (OCR_TREADLE_AS(u64, 1) << EXTENSION_AFFINITY_BITPOS)
#define OCR_VERSION_PARAMS_EVT_BIT (OCR_TREADLE_AS(u64, 1) << EXTENSION_PARAMS_EVT_BITPOS)
#define OCR_VERSION_COUNTED_EVT_BIT (OCR_TREADLE_AS(u64, 1) << EXTENSION_COUNTED_EVT_BITPOS)
#define OCR_VERSION_RTITF_BIT (OCR_TREADLE_AS(u64, 1) << EXTENSION_RTITF_BITPOS)
#define OCR_VERSION_PAUSE_BIT (OCR_TREADLE_AS(u64, 1) << EXTENSION_PAUSE_BITPOS)
#define OCR_VERSION_LABELING_BIT (OCR_TREADLE_AS(u64, 1) << EXTENSION_LABELING_BITPOS)

/* Which extensions the library has. */
u64 ocrVersionExtensionBitmap(void);
#define OCR_VERSION_EXTENSION_BITMAP ocrVersionExtensionBitmap()

/* The argument for hints, where 1.0.2 has one for affinities. */
#define PICK_1_1(hint, affinity) hint

#ifdef __cplusplus
}
#endif

#endif
