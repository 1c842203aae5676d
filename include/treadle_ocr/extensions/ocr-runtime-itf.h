#ifndef OCR_RUNTIME_ITF_H_
#define OCR_RUNTIME_ITF_H_

#include "../ocr-types.h"

#ifdef ENABLE_EXTENSION_RTITF

#ifdef __cplusplus
extern "C" {
#endif

/* Four GUIDs of the calling EDT's own, at first NULL_GUID. */
#define ELS_USER_SIZE 4
ocrGuid_t ocrElsUserGet(u8 offset);
void ocrElsUserSet(u8 offset, ocrGuid_t data);
/* The memory they are in. */
u8 ocrEdtLocalStorageGet(void** data, u64* size);

/* NULL_GUID outside of EDTs, and where the EDT has no output event. */
u8 ocrCurrentEdtGet(ocrGuid_t* edt);
u8 ocrCurrentEdtOutputGet(ocrGuid_t* event);
/* The name of 1.2.0 */
void currentEdtUserGet(ocrGuid_t* edt);

u64 ocrNbWorkers(void);
void ocrCurrentWorkerGuid(ocrGuid_t* worker);
/* The calling thread cannot go on before others have worked. */
u8 ocrInformLegacyCodeBlocking(void);

#ifdef __cplusplus
}
#endif

#endif

#endif
