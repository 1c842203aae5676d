#ifndef __OCR_TYPES_H__
#define __OCR_TYPES_H__

#include <inttypes.h>
#include <stddef.h>

#ifdef OCR_ENABLE_128_BIT_GUID
#error "libtreadle_ocr has GUIDs of 64 bits: do not define OCR_ENABLE_128_BIT_GUID"
#endif

/* For constants with a type. */
#ifdef __cplusplus
#define OCR_TREADLE_AS(type, value) (static_cast<type>(value))
#else
#define OCR_TREADLE_AS(type, value) ((type)(value))
#endif

typedef uint64_t u64;
typedef uint32_t u32;
typedef uint16_t u16;
typedef uint8_t u8;
typedef int64_t s64;
typedef int32_t s32;
typedef int8_t s8;

#ifdef __cplusplus
#define TRUE true
#define FALSE false
#else
#define TRUE 1
#define FALSE 0
#if defined(__MACH__) || (defined(__STDC_VERSION__) && __STDC_VERSION__ > 201710L)
#include <stdbool.h>
#elif !defined(__bool_true_false_are_defined) /* a program may have included stdbool.h before */
typedef u8 bool;
#define true 1
#define false 0
#endif
#endif

/* GUIDs: compared, and printed, only by what ocr-guid-functions.h declares. */

#define GUID_BIT_COUNT 64

typedef struct {
  intptr_t guid;
} ocrGuid_t;

#ifdef __cplusplus
#define NULL_GUID_INITIALIZER {0}
#define UNINITIALIZED_GUID_INITIALIZER {-2}
#define ERROR_GUID_INITIALIZER {-1}
#define NULL_GUID (ocrGuid_t NULL_GUID_INITIALIZER)
#define UNINITIALIZED_GUID (ocrGuid_t UNINITIALIZED_GUID_INITIALIZER)
#define ERROR_GUID (ocrGuid_t ERROR_GUID_INITIALIZER)
#else
#define NULL_GUID_INITIALIZER {.guid = 0}
#define UNINITIALIZED_GUID_INITIALIZER {.guid = -2}
#define ERROR_GUID_INITIALIZER {.guid = -1}
#define NULL_GUID ((ocrGuid_t)NULL_GUID_INITIALIZER)
#define UNINITIALIZED_GUID ((ocrGuid_t)UNINITIALIZED_GUID_INITIALIZER)
#define ERROR_GUID ((ocrGuid_t)ERROR_GUID_INITIALIZER)
#endif

/* Of the props of calls that create an object: its GUID is a label (extensions/ocr-labeling.h). */
#define GUID_PROP_NONE OCR_TREADLE_AS(u16, 0x0)
#define GUID_PROP_IS_LABELED OCR_TREADLE_AS(u16, 0x100) /* nobody else creates it */
#define GUID_PROP_CHECK OCR_TREADLE_AS(u16, 0x300)      /* who comes later is told OCR_EGUIDEXISTS */
#define GUID_PROP_BLOCK OCR_TREADLE_AS(u16, 0x500)      /* who comes later waits until it was destroyed */

/* Data blocks */

typedef enum { NO_ALLOC = 0 } ocrInDbAllocator_t;

typedef enum {
  DB_MODE_NULL = 0x0,  /* only its GUID is passed on */
  DB_MODE_CONST = 0x1, /* nobody writes to it meanwhile */
  DB_MODE_RW = 0x2,    /* other writers may be at work */
  DB_MODE_EW = 0x4,    /* no other writer is at work */
  DB_MODE_RO = 0x8     /* writers may be at work */
} ocrDbAccessMode_t;
#define DB_DEFAULT_MODE OCR_TREADLE_AS(ocrDbAccessMode_t, DB_MODE_RW)

#define DB_PROP_NONE OCR_TREADLE_AS(u16, 0x0)
#define DB_PROP_NO_ACQUIRE OCR_TREADLE_AS(u16, 0x10)        /* the creator does not use it */
#define DB_PROP_SINGLE_ASSIGNMENT OCR_TREADLE_AS(u16, 0x20) /* written once, before its first release */
#define DB_PROP_NO_HINT OCR_TREADLE_AS(u16, 0x40)

/* EDTs: event-driven tasks */

#define EDT_PROP_NONE OCR_TREADLE_AS(u16, 0x0)
#define EDT_PROP_FINISH OCR_TREADLE_AS(u16, 0x1) /* its output event waits for all EDTs created by it or by these */
#define EDT_PROP_NO_HINT OCR_TREADLE_AS(u16, 0x2)
#define EDT_PROP_LONG OCR_TREADLE_AS(u16, 0x4)       /* it runs for long */
#define EDT_PROP_OEVT_VALID OCR_TREADLE_AS(u16, 0x8) /* the output event is given, not made */

#define EDT_PARAM_UNK OCR_TREADLE_AS(u32, -1) /* of a template: each EDT says how many */
#define EDT_PARAM_DEF OCR_TREADLE_AS(u32, -2) /* of an EDT: as many as its template says */

/* What an EDT gets for a slot. */
typedef struct {
  ocrGuid_t guid;
  void* ptr;
  ocrDbAccessMode_t mode;
#ifdef TG_STAGING
#error "libtreadle_ocr has no scratchpads: do not define TG_STAGING"
#endif
} ocrEdtDep_t;
#define SPAD_COPY (OCR_TREADLE_AS(u64, 1) << 63)

typedef ocrGuid_t (*ocrEdt_t)(u32 paramc, u64* paramv, u32 depc, ocrEdtDep_t depv[]);

/* Events */

#define EVT_PROP_NONE OCR_TREADLE_AS(u16, 0x0)
#define EVT_PROP_TAKES_ARG OCR_TREADLE_AS(u16, 0x1) /* it passes a block on */

/* The numbers do not depend on what a program has enabled. */
typedef enum {
  OCR_EVENT_ONCE_T = 1,
  OCR_EVENT_IDEM_T = 2,
  OCR_EVENT_STICKY_T = 3,
  OCR_EVENT_LATCH_T = 4,
#ifdef ENABLE_EXTENSION_COUNTED_EVT
  OCR_EVENT_COUNTED_T = 5,
#endif
#ifdef ENABLE_EXTENSION_CHANNEL_EVT
  OCR_EVENT_CHANNEL_T = 6,
#endif
#ifdef ENABLE_EXTENSION_COLLECTIVE_EVT
  OCR_EVENT_COLLECTIVE_T = 7,
#endif
  OCR_EVENT_T_MAX
} ocrEventTypes_t;

typedef enum { OCR_EVENT_LATCH_DECR_SLOT = 0, OCR_EVENT_LATCH_INCR_SLOT = 1 } ocrLatchEventSlot_t;

/* Hints */

typedef enum {
  OCR_HINT_UNDEF_T = 0,
  OCR_HINT_EDT_T = 1,
  OCR_HINT_DB_T = 2,
  OCR_HINT_EVT_T = 3,
  OCR_HINT_GROUP_T = 4
} ocrHintType_t;

typedef enum {
  OCR_HINT_EDT_PROP_START = 0,
  OCR_HINT_EDT_PRIORITY = 1, /* the higher, the sooner */
  OCR_HINT_EDT_SLOT_MAX_ACCESS = 2,
  OCR_HINT_EDT_AFFINITY = 3,
  OCR_HINT_EDT_SPAD_USAGE = 4,
  OCR_HINT_EDT_DISPERSE = 5,
  OCR_HINT_EDT_SPACE = 6,
  OCR_HINT_EDT_TIME = 7,
  OCR_HINT_EDT_STATS_HW_CYCLES = 8,
  OCR_HINT_EDT_STATS_L1_HITS = 9,
  OCR_HINT_EDT_STATS_L1_MISSES = 10,
  OCR_HINT_EDT_STATS_FLOAT_OPS = 11,
  OCR_HINT_EDT_SPAWNING = 12,
  OCR_HINT_EDT_PROP_END = 13,

  OCR_HINT_DB_PROP_START = 14,
  OCR_HINT_DB_AFFINITY = 15,
  OCR_HINT_DB_NEAR = 16,
  OCR_HINT_DB_INTER = 17,
  OCR_HINT_DB_FAR = 18,
  OCR_HINT_DB_HIGHBW = 19,
  OCR_HINT_DB_EAGER = 20,
  OCR_HINT_DB_LAZY = 21,
  OCR_HINT_DB_PROP_END = 22,

  OCR_HINT_EVT_PROP_START = 23,
  OCR_HINT_EVT_PROP_END = 24,

  OCR_HINT_GROUP_PROP_START = 25,
  OCR_HINT_GROUP_PROP_END = 26
} ocrHintProp_t;

typedef uint64_t ocrHintVal_t;
#define OCR_HINT_EDT_DISPERSE_FAR OCR_TREADLE_AS(u64, 0)
#define OCR_HINT_EDT_DISPERSE_NEAR OCR_TREADLE_AS(u64, 1)

/* Property p of a type is args.propTYPE[p - START - 1], and bit p - START - 1 of the mask where it is set. */
typedef struct {
  ocrHintType_t type;
  u64 propMask;
  union {
    u64 propEDT[OCR_HINT_EDT_PROP_END - OCR_HINT_EDT_PROP_START - 1];
    u64 propDB[OCR_HINT_DB_PROP_END - OCR_HINT_DB_PROP_START - 1];
    u64 propEVT[1]; /* there are none; the length is for ISO C */
    u64 propGROUP[1];
  } args;
} ocrHint_t;
#define NULL_HINT OCR_TREADLE_AS(ocrHint_t*, 0x0)

#endif
