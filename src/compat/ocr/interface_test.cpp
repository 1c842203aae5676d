// The extensions: runtime interface, affinities, pause, versions, printing, and OCR as a library.

#include "compat/ocr/command_line.hpp"
#include "compat/ocr/ocr_fixture.hpp"

#include <treadle/this_task.hpp>

#include <cstdlib>
#include <thread>

namespace treadle::ocr::testing {

class ocr_interface : public ocr_test {};
OCR_WITH_WORKERS(ocr_interface);

TEST_P(ocr_interface, edts_know_themselves_and_have_storage) {
  run_main([&](ocrEdtDep_t*) {
    static ocrGuid_t expected, output;
    const ocrGuid_t edt = spawn(
        [](u32, ocrEdtDep_t*) {
          ocrGuid_t found = NULL_GUID;
          EXPECT_EQ(ocrCurrentEdtGet(&found), 0);
          EXPECT_TRUE(same(found, expected));
          EXPECT_EQ(ocrCurrentEdtOutputGet(&found), 0);
          EXPECT_TRUE(same(found, output));
          EXPECT_TRUE(ocrGuidIsNull(ocrElsUserGet(3)));
          ocrElsUserSet(3, found);
          EXPECT_TRUE(same(ocrElsUserGet(3), found));
          this_task::yield(); // others run on this worker meanwhile
          EXPECT_TRUE(same(ocrElsUserGet(3), found));
          void* storage = nullptr;
          u64 size = 0;
          EXPECT_EQ(ocrEdtLocalStorageGet(&storage, &size), 0);
          EXPECT_TRUE(same(static_cast<ocrGuid_t*>(storage)[3], found));
          EXPECT_EQ(size, 4 * sizeof(ocrGuid_t));
          EXPECT_EQ(ocrEdtLocalStorageGet(nullptr, &size), OCR_EINVAL);
          EXPECT_EQ(ocrCurrentEdtGet(nullptr), OCR_EINVAL);
          ocrShutdown();
        },
        {.depc = 1, .output = &output});
    expected = edt;
    EXPECT_EQ(ocrNbWorkers(), GetParam());
    EXPECT_EQ(ocrAddDependence(NULL_GUID, edt, 0, DB_MODE_RO), 0);
  });
  ocrGuid_t outside = ERROR_GUID;
  EXPECT_EQ(ocrCurrentEdtGet(&outside), 0);
  EXPECT_TRUE(ocrGuidIsNull(outside));
}

TEST(ocr_affinity, the_process_is_one_domain) {
  u64 count = 0;
  ocrGuid_t one = ERROR_GUID;
  EXPECT_EQ(ocrAffinityCount(AFFINITY_PD, &count), 0);
  EXPECT_EQ(count, 1U);
  EXPECT_EQ(ocrAffinityGet(AFFINITY_PD, &count, &one), 0);
  EXPECT_TRUE(ocrGuidIsNull(one));
  EXPECT_EQ(ocrAffinityGetAt(AFFINITY_PD, 0, &one), 0);
  EXPECT_EQ(ocrAffinityGetAt(AFFINITY_PD, 1, &one), OCR_EINVAL);
  EXPECT_EQ(ocrAffinityGetCurrent(&one), 0);
  EXPECT_EQ(ocrAffinityQuery(NULL_GUID, nullptr, &one), 0);
  EXPECT_EQ(ocrAffinityToHintValue(one), 0U);
}

TEST(ocr_version, is_taken_apart) {
  char version[] = OCR_VERSION;
  auto* const text = reinterpret_cast<u8*>(version);
  EXPECT_EQ(ocrVersionExtractMajor(text), 1U);
  EXPECT_EQ(ocrVersionExtractMinor(text), 1U);
  EXPECT_EQ(ocrVersionExtractPatch(text), 0U);
  EXPECT_EQ(OCR_VERSION_EXTENSION_BITMAP, 0xFEU);
}

TEST(ocr_print, writes_and_counts) {
  char text[8];
  EXPECT_EQ(SNPRINTF(text, sizeof text, "%s", "0123456789"), 7U);
  EXPECT_STREQ(text, "0123456");
  ::testing::internal::CaptureStdout();
  EXPECT_EQ(ocrPrintf("%d %s %#x\n", 7, std::string(2000, 'x').c_str(), 255U), 2008U);
  VERIFY(1 == 2, "no %d\n", 3);
  const char* const pointer = "a pointer";
  VERIFY(pointer, "yes\n");
  std::fflush(stdout);
  const std::string out = ::testing::internal::GetCapturedStdout();
  EXPECT_NE(out.find("FAILURE @ '" __FILE__ ":"), std::string::npos);
  EXPECT_NE(out.find("' no 3\nPASSED @ '"), std::string::npos);
}

TEST(ocr_assert, prints_the_place_and_aborts) {
  _ocrAssert(true, "fine", "file.c", 3);
  EXPECT_DEATH(_ocrAssert(false, "a == b", "file.c", 12), "ASSERT: a == b @ file.c:12");
}

TEST(ocr_command_line, options_are_taken_out) {
  char program[] = "p", cfg[] = "-ocr:cfg", file[] = "f", kept[] = "-x", workers[] = "--treadle:workers=3",
       last[] = "y";
  char* argv[] = {program, cfg, file, kept, workers, last, nullptr};
  int argc = 6;
  EXPECT_EQ(take_options(argc, argv).workers, 3U);
  ASSERT_EQ(argc, 3);
  EXPECT_STREQ(argv[1], "-x");
  EXPECT_STREQ(argv[2], "y");
}

TEST_P(ocr_interface, nothing_runs_in_a_pause) {
  for (int round = 0; round < 6; ++round) {
    run_main([&](ocrEdtDep_t*) {
      static std::atomic<int> running, ended;
      running = ended = 0;
      static constexpr int k_edts = 40;
      const auto end = [] {
        if (++ended == k_edts + 4) ocrShutdown();
      };
      for (int i = 0; i < k_edts; ++i) {
        spawn([end](u32, ocrEdtDep_t*) {
          ++running;
          this_task::yield();
          --running;
          end();
        });
      }
      for (int i = 0; i < 4; ++i) {
        spawn([end, i](u32, ocrEdtDep_t*) {
          const u32 flag = ocrPause(i % 2 == 0);
          if (i % 2 == 0) {
            EXPECT_EQ(flag, 1U);
          }
          if (flag != 0) {
            for (int k = 0; k < 10; ++k) EXPECT_EQ(running, 0);
            void* result = nullptr;
            u32 size = 0;
            const ocrGuid_t all = ocrQuery(OCR_QUERY_ALL_EDTS, NULL_GUID, &result, &size, 0);
            EXPECT_GE(size, sizeof(ocrGuid_t)); // the calling one
            EXPECT_EQ(ocrDbDestroy(all), 0);
          }
          ocrResume(flag);
          end();
        });
      }
    });
  }
}

ocrGuid_t sum(u32 paramc, u64* paramv, u32 depc, ocrEdtDep_t* depv) {
  u64 total = 0;
  for (u32 i = 0; i < paramc; ++i) total += paramv[i];
  for (u32 i = 0; i < depc; ++i) total += value_of(depv[i]);
  static std::atomic<int> children;
  children = 0;
  for (int i = 0; i < 10; ++i) spawn([](u32, ocrEdtDep_t*) { ++children; });
  return make_block_of(total);
}

class ocr_library : public ocr_test {};
OCR_WITH_WORKERS(ocr_library);

TEST_P(ocr_library, spawns_and_waits) {
  const std::string workers = std::to_string(GetParam());
  setenv("TREADLE_WORKERS", workers.c_str(), 1);
  for (int round = 0; round < 5; ++round) {
    const char* argv[] = {"program", "-ocr:cfg", "nothing", "left", nullptr};
    ocrConfig_t config{};
    ocrParseArgs(4, argv, &config);
    EXPECT_EQ(config.userArgc, 2);
    EXPECT_STREQ(config.userArgv[1], "left");
    ocrGuid_t context = NULL_GUID, from = NULL_GUID, handle = NULL_GUID, result = NULL_GUID;
    ocrLegacyInit(&context, &config);
    EXPECT_EQ(ocrEdtTemplateCreate(&from, sum, EDT_PARAM_UNK, EDT_PARAM_UNK), 0);
    u64 paramv[2] = {1, 2};
    ocrGuid_t depv[2] = {make_block_of(3), make_block_of(4)};
    EXPECT_EQ(ocrLegacySpawnOCR(&handle, from, 2, paramv, 2, depv, context), 0);
    void* memory = nullptr;
    u64 size = 0;
    EXPECT_EQ(ocrLegacyBlockProgress(handle, &result, &memory, &size, LEGACY_PROP_NONE), 0);
    EXPECT_EQ(*static_cast<u64*>(memory), 10U);
    EXPECT_EQ(size, sizeof(u64));
    EXPECT_TRUE(same(ocrWait(handle), result));
    EXPECT_EQ(ocrEventDestroy(handle), 0);
    EXPECT_TRUE(ocrGuidIsError(ocrWait(handle)));
    const ocrGuid_t later = make(OCR_EVENT_STICKY_T);
    EXPECT_EQ(ocrLegacyBlockProgress(later, nullptr, nullptr, nullptr, LEGACY_PROP_CHECK), OCR_EINVAL);
    EXPECT_EQ(ocrLegacyBlockProgress(NULL_GUID, nullptr, nullptr, nullptr, LEGACY_PROP_NONE), OCR_EINVAL);
    std::thread other([later] { EXPECT_EQ(ocrEventSatisfy(later, NULL_GUID), 0); });
    EXPECT_EQ(ocrLegacyBlockProgress(later, &result, &memory, &size, LEGACY_PROP_NONE), 0);
    EXPECT_TRUE(ocrGuidIsNull(result));
    EXPECT_EQ(memory, nullptr);
    other.join();
    if (round % 2 == 0) {
      EXPECT_EQ(ocrLegacyFinalize(context, false), 0);
    } else {
      spawn([](u32, ocrEdtDep_t*) { ocrAbort(5); });
      EXPECT_EQ(ocrLegacyFinalize(context, true), 5);
    }
    bodies::of_program().all.clear();
  }
  unsetenv("TREADLE_WORKERS");
}

TEST_P(ocr_interface, edts_may_wait_too) {
  std::atomic<int> ended = 0;
  run_main([&](ocrEdtDep_t*) {
    static constexpr int k_edts = 50;
    std::vector<ocrGuid_t> events;
    for (int i = 0; i < k_edts; ++i) {
      const ocrGuid_t event = make(OCR_EVENT_STICKY_T, EVT_PROP_TAKES_ARG);
      events.push_back(event);
      spawn([=, &ended](u32, ocrEdtDep_t*) {
        ocrGuid_t before = NULL_GUID, after = NULL_GUID;
        ocrCurrentEdtGet(&before);
        EXPECT_FALSE(ocrGuidIsError(ocrWait(event)));
        ocrCurrentEdtGet(&after);
        EXPECT_TRUE(same(before, after));
        if (++ended == k_edts) ocrShutdown();
      });
    }
    for (const ocrGuid_t event : events)
      spawn([event](u32, ocrEdtDep_t*) { EXPECT_EQ(ocrEventSatisfy(event, make_block_of(1)), 0); });
  });
  EXPECT_EQ(ended, 50);
}

TEST_P(ocr_interface, shutdown_ends_waits) {
  run_main([&](ocrEdtDep_t*) {
    const ocrGuid_t never = make(OCR_EVENT_STICKY_T);
    for (int i = 0; i < 10; ++i) spawn([never](u32, ocrEdtDep_t*) { EXPECT_TRUE(ocrGuidIsError(ocrWait(never))); });
    spawn([](u32, ocrEdtDep_t*) { ocrShutdown(); });
  });
}

TEST(ocr_vx, progress_and_groups_are_told) {
  EXPECT_EQ(ocrProgressReport(17), 0);
  EXPECT_EQ(ocrApplicationGroup(3), 0);
}

} // namespace treadle::ocr::testing
