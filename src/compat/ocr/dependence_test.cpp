// Rules R27 and R28 of the fact sheet: dependences and hints.

#include "compat/ocr/ocr_fixture.hpp"

namespace treadle::ocr::testing {

class ocr_dependence : public ocr_test {};
OCR_WITH_WORKERS(ocr_dependence);

TEST_P(ocr_dependence, r27_all_pairs) {
  run_main([&](ocrEdtDep_t*) {
    const ocrGuid_t db = make_block_of(3);
    const ocrGuid_t edt = spawn(
        [db](u32, ocrEdtDep_t* depv) {
          EXPECT_EQ(value_of(depv[0]), 3U); // block
          EXPECT_EQ(value_of(depv[1]), 3U); // event that has it from a block
          EXPECT_EQ(value_of(depv[2]), 3U); // event that has it from an event
          EXPECT_TRUE(ocrGuidIsNull(depv[3].guid));
          EXPECT_TRUE(ocrGuidIsNull(depv[4].guid)); // of a latch
          EXPECT_EQ(depv[0].ptr, depv[1].ptr);
          EXPECT_EQ(depv[0].ptr, depv[2].ptr);
          EXPECT_EQ(ocrDbRelease(db), 0);
          EXPECT_EQ(ocrDbRelease(db), OCR_EACCES); // one acquisition for all slots
          ocrShutdown();
        },
        {.depc = 5});
    const ocrGuid_t first = make(OCR_EVENT_ONCE_T, EVT_PROP_TAKES_ARG),
                    second = make(OCR_EVENT_ONCE_T, EVT_PROP_TAKES_ARG);
    const ocrGuid_t latch = make(OCR_EVENT_LATCH_T, {.EVENT_LATCH = {1}});
    EXPECT_EQ(ocrAddDependence(first, edt, 1, DB_MODE_RW), 0);
    EXPECT_EQ(ocrAddDependence(first, second, 0, DB_MODE_RW), 0);
    EXPECT_EQ(ocrAddDependence(second, edt, 2, DB_MODE_RW), 0);
    EXPECT_EQ(ocrAddDependence(latch, edt, 4, DB_MODE_RW), 0);
    EXPECT_EQ(ocrAddDependence(second, latch, OCR_EVENT_LATCH_DECR_SLOT, DB_MODE_RW), 0);
    EXPECT_EQ(ocrAddDependence(NULL_GUID, edt, 3, DB_MODE_RW), 0);
    EXPECT_EQ(ocrAddDependence(db, first, 0, DB_MODE_RW), 0);
    EXPECT_EQ(ocrAddDependence(db, edt, 0, DB_MODE_RW), 0);
  });
}

TEST_P(ocr_dependence, u16_other_pairs_and_slots_are_refused) {
  run_main([&](ocrEdtDep_t*) {
    const ocrGuid_t db = make_block_of(3), event = make(OCR_EVENT_STICKY_T), latch = make(OCR_EVENT_LATCH_T);
    const ocrGuid_t edt = spawn([](u32, ocrEdtDep_t*) {}, {.depc = 2});
    EXPECT_EQ(ocrAddDependence(NULL_GUID, NULL_GUID, 0, DB_MODE_RO), 0);
    EXPECT_EQ(ocrAddDependence(event, edt, 2, DB_MODE_RO), OCR_EINVAL);
    EXPECT_EQ(ocrAddDependence(db, edt, 2, DB_MODE_RO), OCR_EINVAL);
    EXPECT_EQ(ocrAddDependence(event, latch, 2, DB_MODE_RO), OCR_EINVAL);
    EXPECT_EQ(ocrAddDependence(latch, event, 1, DB_MODE_RO), OCR_EINVAL);
    EXPECT_EQ(ocrAddDependence(event, db, 0, DB_MODE_RO), OCR_EPERM);
    EXPECT_EQ(ocrAddDependence(edt, event, 0, DB_MODE_RO), OCR_EPERM);
    EXPECT_EQ(ocrAddDependence(event, NULL_GUID, 0, DB_MODE_RO), OCR_EINVAL);
    EXPECT_EQ(ocrAddDependence(UNINITIALIZED_GUID, edt, 0, DB_MODE_RO), OCR_EINVAL);
    EXPECT_EQ(ocrAddDependence(ERROR_GUID, edt, 0, DB_MODE_RO), OCR_EINVAL);
    EXPECT_EQ(ocrAddDependence(event, edt, 0, static_cast<ocrDbAccessMode_t>(3)), OCR_EINVAL);
    EXPECT_EQ(ocrAddDependence(db, edt, 0, DB_MODE_RO), 0);
    EXPECT_EQ(ocrAddDependence(db, edt, 0, DB_MODE_RO), OCR_EPERM); // satisfied before
    ocrShutdown();
  });
}

TEST_P(ocr_dependence, numbers_that_were_never_guids_are_refused) {
  run_main([&](ocrEdtDep_t*) {
    u64 random = 1;
    const ocrGuid_t event = make(OCR_EVENT_STICKY_T);
    for (int i = 0; i < 100'000; ++i) {
      random = random * 6364136223846793005U + 1442695040888963407U;
      const ocrGuid_t forged = guid_of(i % 2 == 0 ? random : word_of(event) + (random >> (random % 50U)));
      if (same(forged, event)) continue;
      ocrGuidUserKind kind = GUID_USER_DB;
      EXPECT_EQ(ocrGetGuidKind(&kind, forged), 0);
      if (kind != GUID_USER_NONE) continue; // another object of this program
      EXPECT_EQ(ocrEventSatisfy(forged, NULL_GUID), OCR_EINVAL);
      EXPECT_EQ(ocrDbRelease(forged), OCR_EINVAL);
      EXPECT_EQ(ocrEdtDestroy(forged), OCR_EINVAL);
      EXPECT_EQ(ocrEdtTemplateDestroy(forged), OCR_EINVAL);
    }
    ocrShutdown();
  });
}

TEST_P(ocr_dependence, r28_hints_are_merged_and_inherited) {
  run_main([&](ocrEdtDep_t*) {
    ocrHint_t hint, found;
    EXPECT_EQ(ocrHintInit(&hint, OCR_HINT_EDT_T), 0);
    EXPECT_EQ(ocrSetHintValue(&hint, OCR_HINT_EDT_PRIORITY, 7), 0);
    EXPECT_EQ(ocrSetHintValue(&hint, OCR_HINT_EDT_SPAWNING, 8), 0);
    ocrGuid_t from = NULL_GUID, edt = NULL_GUID;
    const ocrEdt_t nothing = [](u32, u64*, u32, ocrEdtDep_t*) { return NULL_GUID; };
    EXPECT_EQ(ocrEdtTemplateCreate(&from, nothing, 0, 1), 0);
    EXPECT_EQ(ocrSetHint(from, &hint), 0);
    EXPECT_EQ(ocrHintInit(&hint, OCR_HINT_EDT_T), 0);
    EXPECT_EQ(ocrSetHintValue(&hint, OCR_HINT_EDT_PRIORITY, 9), 0);
    EXPECT_EQ(ocrEdtCreate(&edt, from, 0, nullptr, 1, nullptr, EDT_PROP_NONE, &hint, nullptr), 0);
    EXPECT_EQ(ocrHintInit(&found, OCR_HINT_EDT_T), 0);
    EXPECT_EQ(ocrSetHintValue(&found, OCR_HINT_EDT_SPACE, 3), 0);
    EXPECT_EQ(ocrGetHint(edt, &found), 0);
    u64 value = 0;
    EXPECT_EQ(ocrGetHintValue(&found, OCR_HINT_EDT_PRIORITY, &value), 0);
    EXPECT_EQ(value, 9U);
    EXPECT_EQ(ocrGetHintValue(&found, OCR_HINT_EDT_SPAWNING, &value), 0);
    EXPECT_EQ(value, 8U); // of the template
    EXPECT_EQ(ocrGetHintValue(&found, OCR_HINT_EDT_SPACE, &value), 0);
    EXPECT_EQ(value, 3U); // kept
    EXPECT_EQ(ocrGetHintValue(&found, OCR_HINT_EDT_TIME, &value), OCR_ENOENT);
    EXPECT_EQ(ocrUnsetHintValue(&found, OCR_HINT_EDT_SPACE), 0);
    EXPECT_EQ(ocrGetHintValue(&found, OCR_HINT_EDT_SPACE, &value), OCR_ENOENT);
    EXPECT_EQ(ocrSetHintValue(&found, OCR_HINT_DB_NEAR, 1), OCR_EINVAL);
    EXPECT_EQ(ocrSetHintValue(&found, OCR_HINT_EDT_PROP_START, 1), OCR_EINVAL);
    EXPECT_EQ(ocrSetHintValue(&found, OCR_HINT_EDT_PROP_END, 1), OCR_EINVAL);
    EXPECT_EQ(ocrSetHintValue(NULL_HINT, OCR_HINT_EDT_TIME, 1), 0);
    EXPECT_EQ(ocrHintInit(&found, static_cast<ocrHintType_t>(7)), OCR_EINVAL);
    EXPECT_EQ(ocrHintInit(&found, OCR_HINT_DB_T), 0);
    EXPECT_EQ(ocrSetHintValue(&found, OCR_HINT_DB_LAZY, 5), 0);
    EXPECT_EQ(ocrSetHint(edt, &found), OCR_EINVAL);
    EXPECT_EQ(ocrGetHint(edt, &found), OCR_EINVAL);
    const ocrGuid_t db = make_block_of(1);
    EXPECT_EQ(ocrSetHint(db, &found), 0);
    ocrShutdown();
  });
}

} // namespace treadle::ocr::testing
