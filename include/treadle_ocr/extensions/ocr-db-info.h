#ifndef __OCR_DB_INFO_H__
#define __OCR_DB_INFO_H__

#include "../ocr-types.h"

#ifdef ENABLE_EXTENSION_DB_INFO

#ifdef __cplusplus
extern "C" {
#endif

/* OCR_EACCES: the calling EDT has not acquired it. */
u8 ocrDbGetSize(ocrGuid_t db, u64* size);

#ifdef __cplusplus
}
#endif

#endif

#endif
