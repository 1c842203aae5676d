#ifndef __OCR_LEGACY_H__
#define __OCR_LEGACY_H__

#include "../ocr-types.h"

#ifdef ENABLE_EXTENSION_LEGACY

#ifdef __cplusplus
extern "C" {
#endif

/* OCR as a library of a program that has its own main(). */

typedef struct _ocrConfig_t {
  int userArgc;
  char** userArgv;
  const char* iniFile; /* is not read */
} ocrConfig_t;

#define LEGACY_PROP_NONE OCR_TREADLE_AS(u16, 0x0)
#define LEGACY_PROP_WAIT_FOR_CREATE OCR_TREADLE_AS(u16, 0x1) /* the event may not be there yet: wait for it */
#define LEGACY_PROP_WAIT_IF_CREATED OCR_TREADLE_AS(u16, 0x2)
#define LEGACY_PROP_CHECK OCR_TREADLE_AS(u16, 0x4) /* never wait */
#define LEGACY_BLOCK_PROGRESS_5_ARGS 1

/* Takes the options of the runtime out of the arguments. */
void ocrParseArgs(int argc, const char* argv[], ocrConfig_t* config);
void ocrLegacyInit(ocrGuid_t* context, ocrConfig_t* config);
/* Ends the runtime, where told when somebody has called ocrShutdown(), and returns the code of ocrAbort(). */
u8 ocrLegacyFinalize(ocrGuid_t context, bool runUntilShutdown);
/* An EDT whose dependences are all known. *handle is a sticky event, satisfied with the block that it returns once it
 * and the EDTs that it has created have ended. The caller destroys it. */
u8 ocrLegacySpawnOCR(ocrGuid_t* handle, ocrGuid_t edtTemplate, u64 paramc, u64* paramv, u64 depc, ocrGuid_t* depv,
                     ocrGuid_t context);
/* Waits for an event that stays when it is satisfied, and says with what it was. */
u8 ocrLegacyBlockProgress(ocrGuid_t event, ocrGuid_t* guid, void** result, u64* size, u16 properties);
/* Its block; ERROR_GUID when there is no such event. */
ocrGuid_t ocrWait(ocrGuid_t event);
/* A satisfaction of a channel waits for its dependence. */
bool ocrLegacyIsChannelReady(ocrGuid_t event);

#ifdef __cplusplus
}
#endif

#endif

#endif
