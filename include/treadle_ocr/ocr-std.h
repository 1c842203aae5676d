#ifndef __OCR_STD_H__
#define __OCR_STD_H__

#include "ocr-types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Ends the program with exit code 0: EDTs that do not run yet never do. It may return. */
void ocrShutdown(void);
/* The same with this exit code. */
void ocrAbort(u8 code);

/* The program's arguments, from the block that mainEdt gets; the name of the program is the first. */
u64 ocrGetArgc(void* db);
char* ocrGetArgv(void* db, u64 i);
u64 getArgc(void* db);
char* getArgv(void* db, u64 i);

/* As printf and snprintf; without the compiler's check of formats, because programs print u64 with %d. The result is
 * the number of bytes written. */
#ifdef NOPRINTS
#define ocrPrintf(...)
#define PRINTF(...)
#else
u32 ocrPrintf(const char* format, ...);
u32 PRINTF(const char* format, ...);
#endif
u32 SNPRINTF(char* text, u32 size, const char* format, ...);

/* Prints the place and aborts, unless `ok`. */
void _ocrAssert(bool ok, const char* text, const char* file, u32 line);
#ifdef OCR_ASSERT
#define ocrAssert(a) _ocrAssert(OCR_TREADLE_AS(bool, (a) ? 1 : 0), #a, __FILE__, __LINE__);
#else
#define ocrAssert(a)
#endif
#define ASSERT(a) ocrAssert(a)

/* Prints "PASSED @ 'file:line' " or "FAILURE @ 'file:line' ", and what it is given. */
#ifdef NOPRINTS
#define VERIFY(cond, ...)
#else
u32 treadleOcrVerify(u8 ok, const char* file, u32 line, const char* format, ...);
#define VERIFY(cond, ...) treadleOcrVerify(OCR_TREADLE_AS(u8, (cond) ? 1 : 0), __FILE__, OCR_TREADLE_AS(u32, __LINE__), __VA_ARGS__);
#endif

#ifdef __cplusplus
}
#endif

#endif
