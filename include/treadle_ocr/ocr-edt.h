#ifndef __OCR_EDT_H__
#define __OCR_EDT_H__

#include "ocr-types.h"
#include "ocr-version.h"

#if defined(ENABLE_EXTENSION_PARAMS_EVT) && defined(ENABLE_EXTENSION_COLLECTIVE_EVT)
#include "extensions/ocr-reduction-event.h"
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* Events */

u8 ocrEventCreate(ocrGuid_t* guid, ocrEventTypes_t type, u16 props);
u8 ocrEventDestroy(ocrGuid_t guid);
u8 ocrEventSatisfy(ocrGuid_t event, ocrGuid_t db);
u8 ocrEventSatisfySlot(ocrGuid_t event, ocrGuid_t db, u32 slot);

#ifdef ENABLE_EXTENSION_PARAMS_EVT
typedef struct {
  u64 counter; /* INCR minus DECR at the start */
} ocrEventLatchParams_t;

#ifdef ENABLE_EXTENSION_COUNTED_EVT
typedef struct {
  u64 nbDeps; /* dependences after which it goes; not 0 */
} ocrEventCounterParams_t;
#endif

#ifdef ENABLE_EXTENSION_CHANNEL_EVT
#define EVENT_CHANNEL_UNBOUNDED OCR_TREADLE_AS(u32, -1)
typedef struct {
  u32 maxGen; /* satisfactions, and dependences, that may be without their partner; not 0 */
  u32 nbSat;  /* 1 */
  u32 nbDeps; /* 1 */
} ocrEventChannelParams_t;
#endif

#ifdef ENABLE_EXTENSION_COLLECTIVE_EVT
typedef enum { COL_REDUCE = 0, COL_ALLREDUCE = 1, COL_BROADCAST = 2 } collectiveType_t;

typedef struct {
  u32 maxGen;       /* generations that may be in progress; not 0 */
  u32 nbContribs;   /* of each generation; not 0 */
  u32 nbContribsPd; /* of these, in this process; not 0 */
  u16 nbDatum;      /* of each contribution */
  u8 arity;         /* of a tree of processes */
  redOp_t op;
  collectiveType_t type;
  bool reuseDbPerGen; /* one block for the results of all generations */
} ocrEventCollectiveParams_t;
#endif
#endif

/* Which one counts is said by the type of the event. */
typedef union {
#ifdef ENABLE_EXTENSION_PARAMS_EVT
  ocrEventLatchParams_t EVENT_LATCH;
#ifdef ENABLE_EXTENSION_COUNTED_EVT
  ocrEventCounterParams_t EVENT_COUNTED;
#endif
#ifdef ENABLE_EXTENSION_CHANNEL_EVT
  ocrEventChannelParams_t EVENT_CHANNEL;
#endif
#ifdef ENABLE_EXTENSION_COLLECTIVE_EVT
  ocrEventCollectiveParams_t EVENT_COLLECTIVE;
#endif
#endif
  u64 none; /* ISO C has no empty unions */
} ocrEventParams_t;

/* `params` are copied; NULL where the type needs none. */
u8 ocrEventCreateParams(ocrGuid_t* guid, ocrEventTypes_t type, u16 props, ocrEventParams_t* params);

/* Adds a contribution of nbDatum values, which are copied. */
u8 ocrEventCollectiveSatisfySlot(ocrGuid_t event, void* data, u32 contributor);

/* EDTs */

u8 ocrEdtTemplateCreate_internal(ocrGuid_t* guid, ocrEdt_t function, u32 paramc, u32 depc, const char* name);
#if defined(OCR_ENABLE_EDT_NAMING) || defined(OCR_TRACE_BINARY)
#define ocrEdtTemplateCreate(guid, function, paramc, depc)                                                             \
  ocrEdtTemplateCreate_internal((guid), (function), (paramc), (depc), #function)
#else
#define ocrEdtTemplateCreate(guid, function, paramc, depc)                                                             \
  ocrEdtTemplateCreate_internal((guid), (function), (paramc), (depc), NULL)
#endif
/* EDTs that there are stay. */
u8 ocrEdtTemplateDestroy(ocrGuid_t guid);

/* An EDT that runs once all its slots are satisfied. paramv is copied; depv, where it is given, are the sources of the
 * slots, in the default mode, with UNINITIALIZED_GUID for those that ocrAddDependence() says later. *outputEvent gets a
 * once event that is satisfied when the EDT ends, unless the pointer is NULL. */
u8 ocrEdtCreate(ocrGuid_t* guid, ocrGuid_t templateGuid, u32 paramc, u64* paramv, u32 depc, ocrGuid_t* depv, u16 props,
                ocrHint_t* hint, ocrGuid_t* outputEvent);
/* Only before all of its slots are satisfied. */
u8 ocrEdtDestroy(ocrGuid_t guid);

/* Dependences: `source` is a block, an event or NULL_GUID, `destination` an event or an EDT. */

u8 ocrAddDependence(ocrGuid_t source, ocrGuid_t destination, u32 slot, ocrDbAccessMode_t mode);
/* The same from one of the output slots of a collective event. */
u8 ocrAddDependenceSlot(ocrGuid_t source, u32 sourceSlot, ocrGuid_t destination, u32 slot, ocrDbAccessMode_t mode);

#ifdef __cplusplus
}
#endif

#endif
