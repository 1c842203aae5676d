/* An OCR program as people write them, C99 and C++ alike: the lengths of longest common subsequences of two texts, in
 * tiles, each of which an EDT computes when its three neighbours are there. Exit code 0: the result is that of a loop.
 */

#include "ocr.h"

#include "extensions/ocr-affinity.h"
#include "extensions/ocr-labeling.h"

#include <string.h>

#define TILES 12
#define SIDE 16
#define LENGTH (TILES * SIDE)

/* The last row and the last column of a tile, with the corner before them. */
typedef struct {
  u32 row[SIDE + 1];
  u32 column[SIDE + 1];
} border_t;

static char letter(u64 text, u64 i) { return (char)('a' + (i * i * (text + 3) + i / 3) % 5); }

static u32 larger(u32 a, u32 b) { return a > b ? a : b; }

/* paramv: where the tile is, and the range of labels of events; slots: left, above, and both. */
static ocrGuid_t tile(u32 paramc, u64* paramv, u32 depc, ocrEdtDep_t depv[]) {
  const u64 x = paramv[0], y = paramv[1];
  const border_t* left = (const border_t*)depv[0].ptr;
  const border_t* above = (const border_t*)depv[1].ptr;
  const border_t* corner = (const border_t*)depv[2].ptr;
  u32 cell[SIDE + 1][SIDE + 1];
  ocrGuid_t range, mine, event;
  border_t* result;
  void* memory;
  u64 i, j;
  (void)paramc;
  (void)depc;
  memset(cell, 0, sizeof cell);
  cell[0][0] = corner ? corner->row[SIDE] : 0;
  for (i = 1; i <= SIDE; ++i) {
    cell[0][i] = above ? above->row[i] : 0;
    cell[i][0] = left ? left->column[i] : 0;
  }
  for (i = 1; i <= SIDE; ++i) {
    for (j = 1; j <= SIDE; ++j) {
      if (letter(0, y * SIDE + i - 1) == letter(1, x * SIDE + j - 1))
        cell[i][j] = cell[i - 1][j - 1] + 1;
      else
        cell[i][j] = larger(cell[i - 1][j], cell[i][j - 1]);
    }
  }
  ocrDbCreate(&mine, &memory, sizeof(border_t), DB_PROP_NONE, NULL_HINT, NO_ALLOC);
  result = (border_t*)memory;
  for (i = 0; i <= SIDE; ++i) {
    result->row[i] = cell[SIDE][i];
    result->column[i] = cell[i][SIDE];
  }
  ocrDbRelease(mine);
  GUID_ASSIGN_VALUE(range, NULL_GUID);
  memcpy(&range, &paramv[2], sizeof range);
  ocrGuidFromIndex(&event, range, y * TILES + x);
  ocrEventSatisfy(event, mine);
  return NULL_GUID;
}

/* paramv: the expected length. */
static ocrGuid_t check(u32 paramc, u64* paramv, u32 depc, ocrEdtDep_t depv[]) {
  const border_t* last = (const border_t*)depv[0].ptr;
  const bool ok = last->row[SIDE] == paramv[0];
  (void)paramc;
  (void)depc;
  VERIFY(ok, "length %d, expected %d\n", (int)last->row[SIDE], (int)paramv[0]);
  if (ok)
    ocrShutdown();
  else
    ocrAbort(1);
  return NULL_GUID;
}

static u32 expected_length(void) {
  static u32 cell[LENGTH + 1][LENGTH + 1];
  u64 i, j;
  for (i = 1; i <= LENGTH; ++i) {
    for (j = 1; j <= LENGTH; ++j) {
      if (letter(0, i - 1) == letter(1, j - 1))
        cell[i][j] = cell[i - 1][j - 1] + 1;
      else
        cell[i][j] = larger(cell[i - 1][j], cell[i][j - 1]);
    }
  }
  return cell[LENGTH][LENGTH];
}

static ocrGuid_t event_of(ocrGuid_t range, u64 x, u64 y) {
  ocrGuid_t event = NULL_GUID;
  ocrGuidFromIndex(&event, range, y * TILES + x);
  return event;
}

#ifdef __cplusplus
extern "C"
#endif
ocrGuid_t mainEdt(u32 paramc, u64* paramv, u32 depc, ocrEdtDep_t depv[]);

ocrGuid_t mainEdt(u32 paramc, u64* paramv, u32 depc, ocrEdtDep_t depv[]) {
  ocrGuid_t range, tiles, checks, edt, event;
  u64 x, y, domains = 0, expected = expected_length();
  (void)paramc;
  (void)paramv;
  (void)depc;
  if (ocrGetArgc(depv[0].ptr) != 2 || strcmp(ocrGetArgv(depv[0].ptr, 1), "an argument") != 0) {
    ocrAbort(2);
    return NULL_GUID;
  }
  ocrAffinityCount(AFFINITY_PD, &domains);
  ocrAssert(domains == 1);
  ocrGuidRangeCreate(&range, TILES * TILES, GUID_USER_EVENT_STICKY);
  ocrEdtTemplateCreate(&tiles, tile, 3, 3);
  ocrEdtTemplateCreate(&checks, &check, 1, EDT_PARAM_UNK);
  for (y = 0; y < TILES; ++y) {
    for (x = 0; x < TILES; ++x) {
      event = event_of(range, x, y);
      ocrEventCreate(&event, OCR_EVENT_STICKY_T, EVT_PROP_TAKES_ARG | GUID_PROP_IS_LABELED);
    }
  }
  ocrEdtCreate(&edt, checks, EDT_PARAM_DEF, &expected, 1, NULL, EDT_PROP_NONE, NULL_HINT, NULL);
  ocrAddDependence(event_of(range, TILES - 1, TILES - 1), edt, 0, DB_MODE_CONST);
  for (y = TILES; y-- > 0;) {
    for (x = TILES; x-- > 0;) {
      struct {
        u64 x, y;
        ocrGuid_t range;
      } param;
      param.x = x;
      param.y = y;
      param.range = range;
      ocrEdtCreate(&edt, tiles, EDT_PARAM_DEF, (u64*)&param, EDT_PARAM_DEF, NULL, EDT_PROP_NONE, NULL_HINT, NULL);
      ocrAddDependence(x > 0 ? event_of(range, x - 1, y) : NULL_GUID, edt, 0, DB_MODE_RO);
      ocrAddDependence(y > 0 ? event_of(range, x, y - 1) : NULL_GUID, edt, 1, DB_MODE_CONST);
      ocrAddDependence(x > 0 && y > 0 ? event_of(range, x - 1, y - 1) : NULL_GUID, edt, 2, DB_MODE_RO);
    }
  }
  return NULL_GUID;
}
