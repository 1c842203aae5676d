#ifndef __OCR_PAUSE_H__
#define __OCR_PAUSE_H__

#include "../ocr-types.h"

#ifdef ENABLE_EXTENSION_PAUSE

#ifdef __cplusplus
extern "C" {
#endif

typedef enum {
  OCR_QUERY_READY_EDTS = 0,
  OCR_QUERY_EVENTS = 1,
  OCR_QUERY_LAST_SATISFIED_DB = 2,
  OCR_QUERY_ALL_EDTS = 3
} ocrQueryType_t;

/* No EDT but the calling one runs until ocrResume(). 1: paused by this call; 0: somebody else has paused, which only
 * a call that is not blocking returns. */
u32 ocrPause(bool isBlocking);
void ocrResume(u32 flag);
/* While it is paused: a block with GUIDs, which the caller destroys, its address and its size in bytes. */
ocrGuid_t ocrQuery(ocrQueryType_t query, ocrGuid_t guid, void** result, u32* size, u8 flags);
/* Of the reference implementation's study of faults: does nothing. */
void ocrInjectFault(void);

#ifdef __cplusplus
}
#endif

#endif

#endif
