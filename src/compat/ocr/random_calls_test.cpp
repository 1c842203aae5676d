// EDTs that call anything with any GUID, at the same time: programs in error. They end, nothing crashes, and nothing is
// left behind.

#include "compat/ocr/ocr_fixture.hpp"

#include <array>
#include <random>

namespace treadle::ocr::testing {

namespace {

constexpr int k_edts = 300, k_calls = 40;

struct shared_guids {
  std::array<std::atomic<std::uint64_t>, 64> all{};
  std::atomic<int> left = k_edts;

  ocrGuid_t any(std::mt19937_64& random) { return guid_of(all[random() % all.size()].load()); }
  void keep(std::mt19937_64& random, ocrGuid_t guid) { all[random() % all.size()] = word_of(guid); }
};

ocrGuid_t call_anything(u32, u64* paramv, u32, ocrEdtDep_t*);

void call_one(shared_guids& guids, std::mt19937_64& random) {
  ocrGuid_t made = guids.any(random), other = NULL_GUID;
  u64 param[2] = {reinterpret_cast<u64>(&guids), random()};
  void* memory = nullptr;
  constexpr ocrDbAccessMode_t modes[] = {DB_MODE_NULL, DB_MODE_CONST, DB_MODE_RW, DB_MODE_EW, DB_MODE_RO};
  const auto labelled = static_cast<u16>(random() % 4 == 0 ? GUID_PROP_CHECK : GUID_PROP_NONE);
  ocrEventParams_t params{};
  ocrHint_t hint;
  switch (random() % 21) {
  case 0:
    ocrEventCreate(&made, static_cast<ocrEventTypes_t>(random() % 5), static_cast<u16>(random() % 2 | labelled));
    break;
  case 1:
    params.EVENT_COUNTED = {random() % 3};
    ocrEventCreateParams(&made, OCR_EVENT_COUNTED_T, static_cast<u16>(random() % 2), &params);
    break;
  case 2:
    params.EVENT_CHANNEL = {2, 1, 1};
    ocrEventCreateParams(&made, OCR_EVENT_CHANNEL_T, static_cast<u16>(random() % 2), &params);
    break;
  case 3:
    params.EVENT_COLLECTIVE = {2, 2, 2, 1, 2, REDOP_U8_ADD, COL_REDUCE, random() % 2 == 0};
    ocrEventCreateParams(&made, OCR_EVENT_COLLECTIVE_T, EVT_PROP_TAKES_ARG, &params);
    break;
  case 4:
  case 5:
    ocrDbCreate(&made, &memory, 1 + random() % 2000, labelled, NULL_HINT, NO_ALLOC);
    break;
  case 6:
    ocrEdtTemplateCreate(&made, call_anything, 2, EDT_PARAM_UNK);
    break;
  case 7:
    ocrGuidRangeCreate(&made, 1 + random() % 4, random() % 2 == 0 ? GUID_USER_DB : GUID_USER_EVENT_ONCE);
    break;
  case 8:
    ocrGuidFromIndex(&made, guids.any(random), random() % 4);
    break;
  case 9:
  case 10:
    --guids.left; // one that never runs is missing at the end, which does no harm
    ocrEdtCreate(&made, guids.any(random), 2, param, static_cast<u32>(random() % 4), nullptr,
                 static_cast<u16>(random() % 2), NULL_HINT, random() % 2 == 0 ? &other : nullptr);
    break;
  case 11:
    ocrEventDestroy(guids.any(random));
    return;
  case 12:
    ocrDbDestroy(guids.any(random));
    return;
  case 13:
    ocrEdtDestroy(guids.any(random));
    return;
  case 14:
    ocrEdtTemplateDestroy(guids.any(random));
    return;
  case 15:
    ocrGuidRangeDestroy(guids.any(random));
    return;
  case 16:
    ocrDbRelease(guids.any(random));
    return;
  case 17:
    ocrEventSatisfySlot(guids.any(random), guids.any(random), static_cast<u32>(random() % 2));
    return;
  case 18:
    ocrEventCollectiveSatisfySlot(guids.any(random), param, static_cast<u32>(random() % 2));
    return;
  case 19:
    ocrHintInit(&hint, static_cast<ocrHintType_t>(1 + random() % 3));
    hint.propMask = random() % 4;
    ocrSetHint(guids.any(random), &hint);
    ocrGetHint(guids.any(random), &hint);
    return;
  default:
    ocrAddDependenceSlot(random() % 4 == 0 ? NULL_GUID : guids.any(random), static_cast<u32>(random() % 2),
                         guids.any(random), static_cast<u32>(random() % 3), modes[random() % 5]);
    return;
  }
  guids.keep(random, made);
  if (word_of(other) != 0) guids.keep(random, other);
}

ocrGuid_t call_anything(u32, u64* paramv, u32, ocrEdtDep_t*) {
  auto& guids = *reinterpret_cast<shared_guids*>(paramv[0]);
  std::mt19937_64 random(paramv[1]);
  if (guids.left <= 0) {
    ocrShutdown();
    return NULL_GUID;
  }
  for (int i = 0; i < k_calls; ++i) call_one(guids, random);
  --guids.left;
  return guids.any(random);
}

} // namespace

TEST(ocr_random_calls, programs_in_error_end_and_leave_nothing_behind) {
#if defined(TREADLE_TSAN)
  // What an object is made of is looked at before its lock is taken and the look-up repeated: a race with its end,
  // which only programs in error have.
  GTEST_SKIP();
#endif
  for (u64 seed = 1; seed <= 30; ++seed) {
    for (const unsigned workers : {1U, 2U, 4U, 8U}) {
      shared_guids guids;
      const outcome result = run_program(
          workers,
          [&](ocrEdtDep_t*) {
            ocrGuid_t from = NULL_GUID, edt = NULL_GUID;
            EXPECT_EQ(ocrEdtTemplateCreate(&from, call_anything, 2, 0), 0);
            for (u64 i = 0; i < k_edts; ++i) {
              u64 param[2] = {reinterpret_cast<u64>(&guids), seed * 1000 + i};
              EXPECT_EQ(ocrEdtCreate(&edt, from, 2, param, 0, nullptr, EDT_PROP_NONE, NULL_HINT, nullptr), 0);
            }
          },
          seed % 2 == 0);
      EXPECT_LE(result.code, 1) << "seed " << seed; // the program may have lost all that could go on
    }
  }
}

} // namespace treadle::ocr::testing
