#ifndef __OCR_HINT_H__
#define __OCR_HINT_H__

#include "../ocr-types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Hints never change what a program computes. */

u8 ocrHintInit(ocrHint_t* hint, ocrHintType_t type);
u8 ocrSetHintValue(ocrHint_t* hint, ocrHintProp_t property, u64 value);
u8 ocrUnsetHintValue(ocrHint_t* hint, ocrHintProp_t property);
/* OCR_ENOENT: not set. */
u8 ocrGetHintValue(ocrHint_t* hint, ocrHintProp_t property, u64* value);

/* Of an object; what the hint does not set stays as it is, in the object or in *hint. */
u8 ocrSetHint(ocrGuid_t guid, ocrHint_t* hint);
u8 ocrGetHint(ocrGuid_t guid, ocrHint_t* hint);

#ifdef __cplusplus
}
#endif

#endif
