// Rules R1 to R8 of the fact sheet: the program as a whole.

#include "compat/ocr/ocr_fixture.hpp"

#include <cstring>

namespace treadle::ocr::testing {

class ocr_program : public ocr_test {};
OCR_WITH_WORKERS(ocr_program);

TEST_P(ocr_program, r1_calls_take_effect_in_program_order) {
  std::vector<u64> seen;
  run_main([&](ocrEdtDep_t*) {
    const ocrGuid_t channel = make(OCR_EVENT_CHANNEL_T, {.EVENT_CHANNEL = {EVENT_CHANNEL_UNBOUNDED, 1, 1}});
    for (u64 i = 0; i < 20; ++i) EXPECT_EQ(ocrEventSatisfy(channel, make_block_of(i)), 0);
    const ocrGuid_t all = spawn(
        [&](u32 depc, ocrEdtDep_t* depv) {
          for (u32 i = 0; i < depc; ++i) seen.push_back(value_of(depv[i]));
          ocrShutdown();
        },
        {.depc = 20});
    for (u32 i = 0; i < 20; ++i) EXPECT_EQ(ocrAddDependence(channel, all, i, DB_MODE_RO), 0);
  });
  ASSERT_EQ(seen.size(), 20U);
  for (u64 i = 0; i < 20; ++i) EXPECT_EQ(seen[i], i);
}

TEST_P(ocr_program, r2_results_are_usable_when_the_call_returns) {
  std::atomic<int> ran = 0;
  run_main([&](ocrEdtDep_t*) {
    ocrGuid_t db = NULL_GUID;
    void* memory = nullptr;
    EXPECT_EQ(ocrDbCreate(&db, &memory, 1000, DB_PROP_NONE, NULL_HINT, NO_ALLOC), 0);
    std::memset(memory, 7, 1000);
    const ocrGuid_t event = make(OCR_EVENT_ONCE_T);
    const ocrGuid_t edt = spawn([&](u32, ocrEdtDep_t*) { ++ran, ocrShutdown(); }, {.depc = 1});
    EXPECT_EQ(ocrAddDependence(event, edt, 0, DB_MODE_NULL), 0);
    EXPECT_EQ(ocrEventSatisfy(event, NULL_GUID), 0);
  });
  EXPECT_EQ(ran, 1);
}

TEST_P(ocr_program, r3_a_returned_code_names_the_cause) {
  run_main([&](ocrEdtDep_t*) {
    const ocrGuid_t db = make_block_of(1);
    EXPECT_EQ(ocrDbRelease(db), OCR_EACCES);
    EXPECT_EQ(ocrEventSatisfy(db, NULL_GUID), OCR_EINVAL);
    EXPECT_EQ(ocrDbDestroy(db), 0);
    EXPECT_EQ(ocrDbDestroy(db), OCR_EPERM);
    EXPECT_EQ(ocrDbRelease(db), OCR_EINVAL);
    ocrShutdown();
  });
}

TEST_P(ocr_program, r4_a_deferred_error_names_place_code_and_guids) {
  std::string target;
  const outcome result = run_main([&](ocrEdtDep_t*) {
    const ocrGuid_t first = make(OCR_EVENT_ONCE_T), second = make(OCR_EVENT_ONCE_T);
    const ocrGuid_t edt = spawn([](u32, ocrEdtDep_t*) { ocrShutdown(); }, {.depc = 2});
    EXPECT_EQ(ocrAddDependence(first, edt, 0, DB_MODE_NULL), 0);
    EXPECT_EQ(ocrAddDependence(second, edt, 0, DB_MODE_NULL), 0);
    char text[40];
    SNPRINTF(text, sizeof text, GUIDF, GUIDA(edt));
    target = text;
    EXPECT_EQ(ocrEventSatisfy(first, NULL_GUID), 0);
    EXPECT_EQ(ocrEventSatisfy(second, NULL_GUID), 0);
    EXPECT_EQ(ocrAddDependence(NULL_GUID, edt, 1, DB_MODE_NULL), 0);
  });
  ASSERT_EQ(result.reports.size(), 1U);
  EXPECT_NE(result.reports[0].find("OCR_EPERM (1)"), std::string::npos) << result.reports[0];
  EXPECT_NE(result.reports[0].find(target), std::string::npos) << result.reports[0];
  EXPECT_NE(result.reports[0].find("(EDT mainEdt)"), std::string::npos) << result.reports[0];
  EXPECT_NE(result.reports[0].find(".cpp:"), std::string::npos) << result.reports[0];
}

ocrGuid_t check_arguments(u32 paramc, u64* paramv, u32 depc, ocrEdtDep_t* depv) {
  EXPECT_EQ(paramc, 0U);
  EXPECT_EQ(paramv, nullptr);
  EXPECT_EQ(depc, 1U);
  EXPECT_EQ(ocrGetArgc(depv[0].ptr), 100U);
  EXPECT_EQ(getArgc(depv[0].ptr), 100U);
  EXPECT_STREQ(ocrGetArgv(depv[0].ptr, 0), "program");
  EXPECT_STREQ(getArgv(depv[0].ptr, 1), "");
  EXPECT_STREQ(ocrGetArgv(depv[0].ptr, 99), "last one");
  EXPECT_EQ(static_cast<u64*>(depv[0].ptr)[0], 100U);
  EXPECT_STREQ(static_cast<char*>(depv[0].ptr) + static_cast<u64*>(depv[0].ptr)[100], "last one");
  ocrShutdown();
  return ERROR_GUID; // is ignored
}

TEST_P(ocr_program, r5_main_edt_gets_the_arguments) {
  std::vector<const char*> argv(100, "");
  argv[0] = "program";
  argv[99] = "last one";
  EXPECT_EQ(run(check_arguments, 100, argv.data(), {.workers = GetParam()}).code, 0);
}

TEST_P(ocr_program, r6_what_is_not_runnable_never_runs_after_shutdown) {
  std::atomic<int> ran = 0;
  const outcome result = run_main([&](ocrEdtDep_t*) {
    const ocrGuid_t event = make(OCR_EVENT_STICKY_T);
    const ocrGuid_t edt = spawn([&](u32, ocrEdtDep_t*) { ++ran; }, {.depc = 1});
    EXPECT_EQ(ocrAddDependence(event, edt, 0, DB_MODE_NULL), 0);
    ocrShutdown();
    EXPECT_EQ(ocrEventSatisfy(event, NULL_GUID), 0);
  });
  EXPECT_EQ(result.code, 0);
  EXPECT_EQ(ran, 0);
}

TEST_P(ocr_program, r6_abort_hands_on_its_code) {
  EXPECT_EQ(run_main([](ocrEdtDep_t*) { ocrAbort(42); }).code, 42);
  EXPECT_EQ(run_main([](ocrEdtDep_t*) { ocrAbort(0); }).code, 0);
}

TEST_P(ocr_program, r7_leftovers_are_freed) { // checked by the sanitizers, and by running it often
  for (int i = 0; i < 20; ++i) {
    run_main([](ocrEdtDep_t*) {
      ocrGuid_t output = NULL_GUID, db = NULL_GUID;
      void* memory = nullptr;
      EXPECT_EQ(ocrDbCreate(&db, &memory, 100'000, DB_PROP_NONE, NULL_HINT, NO_ALLOC), 0);
      const ocrGuid_t event = make(OCR_EVENT_STICKY_T);
      for (u32 k = 0; k < 3; ++k) {
        const ocrGuid_t edt =
            spawn([](u32, ocrEdtDep_t*) {}, {.depc = 500, .props = EDT_PROP_FINISH, .output = &output});
        EXPECT_EQ(ocrAddDependence(event, edt, 0, DB_MODE_NULL), 0);
        EXPECT_EQ(ocrAddDependence(db, edt, 1, DB_MODE_EW), 0);
      }
      make(OCR_EVENT_CHANNEL_T, {.EVENT_CHANNEL = {4, 1, 1}});
      make(OCR_EVENT_COLLECTIVE_T, {.EVENT_COLLECTIVE = {1, 2, 2, 1, 2, REDOP_F8_ADD, COL_ALLREDUCE, false}});
      ocrShutdown();
    });
  }
}

TEST_P(ocr_program, r8_no_two_living_objects_have_one_guid) {
  run_main([](ocrEdtDep_t*) {
    std::vector<intptr_t> seen;
    for (int i = 0; i < 2000; ++i) {
      const ocrGuid_t event = make(OCR_EVENT_STICKY_T);
      seen.push_back(event.guid);
      if (i % 2 == 0) {
        EXPECT_EQ(ocrEventDestroy(event), 0);
      }
    }
    std::sort(seen.begin(), seen.end());
    EXPECT_EQ(std::adjacent_find(seen.begin(), seen.end()), seen.end()); // not even after it was destroyed
    ocrShutdown();
  });
}

TEST_P(ocr_program, a_program_that_cannot_go_on_ends_and_says_what_is_missing) {
  const outcome result = run_main([](ocrEdtDep_t*) { spawn([](u32, ocrEdtDep_t*) {}, {.depc = 3}); });
  EXPECT_EQ(result.code, 1);
  EXPECT_TRUE(mentions(result.reports, "nobody has called ocrShutdown()"));
  EXPECT_TRUE(mentions(result.reports, "EDT test"));
  EXPECT_TRUE(mentions(result.reports, "slot 0, 1, 2"));
}

TEST_P(ocr_program, shutdown_from_many_edts_ends_it_once) {
  for (int i = 0; i < 50; ++i) {
    EXPECT_EQ(run_main([](ocrEdtDep_t*) {
                for (int k = 0; k < 100; ++k) spawn([](u32, ocrEdtDep_t*) { ocrAbort(9); });
              }).code,
              9);
  }
}

} // namespace treadle::ocr::testing
