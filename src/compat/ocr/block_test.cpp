// Rules R21 to R26 of the fact sheet: data blocks and their access modes.

#include "compat/ocr/ocr_fixture.hpp"

#include <treadle/this_task.hpp>

#include <cstring>

namespace treadle::ocr::testing {

class ocr_block : public ocr_test {};
OCR_WITH_WORKERS(ocr_block);

TEST_P(ocr_block, r21_blocks_are_aligned_and_disjoint) {
  run_main([&](ocrEdtDep_t*) {
    std::vector<std::pair<unsigned char*, u64>> made;
    for (u64 bytes : {1U, 7U, 8U, 9U, 100U, 700U, 800U, 900U, 1000U, 5000U, 100'000U, 1U}) {
      ocrGuid_t db = NULL_GUID;
      void* memory = nullptr;
      EXPECT_EQ(ocrDbCreate(&db, &memory, bytes, DB_PROP_NONE, NULL_HINT, NO_ALLOC), 0);
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory) % 8, 0U);
      std::memset(memory, static_cast<int>(made.size()), bytes);
      made.emplace_back(static_cast<unsigned char*>(memory), bytes);
      u64 size = 0;
      EXPECT_EQ(ocrDbGetSize(db, &size), 0);
      EXPECT_EQ(size, bytes);
    }
    for (std::size_t i = 0; i < made.size(); ++i) {
      for (u64 k = 0; k < made[i].second; ++k) ASSERT_EQ(made[i].first[k], i);
    }
    ocrGuid_t db = NULL_GUID;
    void* memory = &db;
    EXPECT_EQ(ocrDbCreate(&db, &memory, 8, DB_PROP_NO_ACQUIRE, NULL_HINT, NO_ALLOC), 0);
    EXPECT_EQ(memory, nullptr);
    EXPECT_EQ(ocrDbRelease(db), OCR_EACCES);
    u64 size = 0;
    EXPECT_EQ(ocrDbGetSize(db, &size), OCR_EACCES);
    EXPECT_EQ(ocrDbCreate(&db, &memory, 0, DB_PROP_NONE, NULL_HINT, NO_ALLOC), OCR_EINVAL);
    EXPECT_EQ(ocrDbCreate(nullptr, &memory, 8, DB_PROP_NONE, NULL_HINT, NO_ALLOC), OCR_EINVAL);
    EXPECT_EQ(ocrDbCreate(&db, &memory, 8, 0x8, NULL_HINT, NO_ALLOC), OCR_EINVAL);
    EXPECT_EQ(ocrDbRelease(NULL_GUID), 0);
    EXPECT_EQ(ocrDbDestroy(NULL_GUID), 0);
    EXPECT_EQ(ocrDbMalloc(db, 8, &memory), OCR_EINVAL);
    ocrShutdown();
  });
}

TEST_P(ocr_block, r22_destruction_waits_for_those_who_have_it) {
  run_main([&](ocrEdtDep_t*) {
    static std::atomic<bool> is_destroyed;
    is_destroyed = false;
    ocrGuid_t db = NULL_GUID;
    void* memory = nullptr;
    EXPECT_EQ(ocrDbCreate(&db, &memory, 1 << 20, DB_PROP_NONE, NULL_HINT, NO_ALLOC), 0);
    std::memset(memory, 1, 1 << 20);
    EXPECT_EQ(ocrDbRelease(db), 0);
    const ocrGuid_t begun = make(OCR_EVENT_ONCE_T);
    const ocrGuid_t user = spawn(
        [begun](u32, ocrEdtDep_t* depv) {
          EXPECT_EQ(ocrEventSatisfy(begun, NULL_GUID), 0);
          while (!is_destroyed) this_task::yield();
          u64 sum = 0;
          for (int i = 0; i < 1 << 20; ++i) sum += static_cast<unsigned char*>(depv[0].ptr)[i];
          EXPECT_EQ(sum, 1U << 20U);
          EXPECT_EQ(ocrDbRelease(depv[0].guid), 0); // it still has it
          ocrShutdown();
        },
        {.depc = 1});
    const ocrGuid_t destroyer = spawn(
        [db](u32, ocrEdtDep_t*) {
          EXPECT_EQ(ocrDbDestroy(db), 0);
          is_destroyed = true;
        },
        {.depc = 1});
    EXPECT_EQ(ocrAddDependence(begun, destroyer, 0, DB_MODE_NULL), 0);
    EXPECT_EQ(ocrAddDependence(db, user, 0, DB_MODE_RO), 0);
  });
}

TEST_P(ocr_block, r22_destruction_releases_the_callers_hold) {
  std::atomic<int> ran = 0;
  run_main([&](ocrEdtDep_t*) {
    ocrGuid_t db = NULL_GUID;
    void* memory = nullptr;
    EXPECT_EQ(ocrDbCreate(&db, &memory, 8, DB_PROP_NONE, NULL_HINT, NO_ALLOC), 0);
    const ocrGuid_t waits = spawn([&](u32, ocrEdtDep_t*) { ++ran, ocrShutdown(); }, {.depc = 1});
    EXPECT_EQ(ocrAddDependence(db, waits, 0, DB_MODE_EW), 0); // for the creator
    EXPECT_EQ(ocrDbDestroy(db), 0);
    EXPECT_EQ(ocrDbRelease(db), OCR_EINVAL);
  });
  EXPECT_EQ(ran, 1);
}

TEST_P(ocr_block, r23_what_was_written_before_the_release_is_seen) {
  u64 seen = 0;
  run_main([&](ocrEdtDep_t*) {
    const ocrGuid_t event = make(OCR_EVENT_ONCE_T, EVT_PROP_TAKES_ARG), db = make_block_of(0);
    const ocrGuid_t reader = spawn(
        [&](u32, ocrEdtDep_t* depv) {
          seen = value_of(depv[0]);
          ocrShutdown();
        },
        {.depc = 1});
    EXPECT_EQ(ocrAddDependence(event, reader, 0, DB_MODE_RO), 0);
    const ocrGuid_t writer = spawn(
        [event](u32, ocrEdtDep_t* depv) {
          *static_cast<u64*>(depv[0].ptr) = 99;
          EXPECT_EQ(ocrDbRelease(depv[0].guid), 0);
          EXPECT_EQ(ocrDbRelease(depv[0].guid), OCR_EACCES); // U4
          EXPECT_EQ(ocrEventSatisfy(event, depv[0].guid), 0);
        },
        {.depc = 1});
    EXPECT_EQ(ocrAddDependence(db, writer, 0, DB_MODE_RW), 0);
  });
  EXPECT_EQ(seen, 99U);
}

TEST_P(ocr_block, r24_unordered_writes_to_different_words_survive) {
  static constexpr u32 k_writers = 64;
  run_main([&](ocrEdtDep_t*) {
    ocrGuid_t db = NULL_GUID;
    void* memory = nullptr;
    EXPECT_EQ(ocrDbCreate(&db, &memory, k_writers * sizeof(u64), DB_PROP_NONE, NULL_HINT, NO_ALLOC), 0);
    std::memset(memory, 0, k_writers * sizeof(u64));
    EXPECT_EQ(ocrDbRelease(db), 0);
    const ocrGuid_t latch = make(OCR_EVENT_LATCH_T, {.EVENT_LATCH = {k_writers}}, EVT_PROP_NONE);
    const ocrGuid_t check = spawn(
        [](u32, ocrEdtDep_t* depv) {
          for (u64 i = 0; i < k_writers; ++i) EXPECT_EQ(static_cast<u64*>(depv[0].ptr)[i], i + 1);
          ocrShutdown();
        },
        {.depc = 2});
    EXPECT_EQ(ocrAddDependence(db, check, 0, DB_MODE_CONST), 0);
    EXPECT_EQ(ocrAddDependence(latch, check, 1, DB_MODE_NULL), 0);
    for (u64 i = 0; i < k_writers; ++i) {
      ocrGuid_t output = latch;
      const ocrGuid_t writer = spawn([i](u32, ocrEdtDep_t* depv) { static_cast<u64*>(depv[0].ptr)[i] = i + 1; },
                                     {.depc = 1, .props = EDT_PROP_OEVT_VALID, .output = &output});
      EXPECT_EQ(ocrAddDependence(db, writer, 0, DB_MODE_RW), 0);
    }
  });
}

/// EDTs that use one block in all modes: how many of which are at work is looked at inside of each.
TEST_P(ocr_block, r25_modes_keep_off_whom_they_should) {
  static constexpr int k_edts = 400;
  run_main([&](ocrEdtDep_t*) {
    static std::atomic<int> exclusive, writers, constants, ended;
    exclusive = writers = constants = ended = 0;
    const ocrGuid_t db = make_block_of(0);
    u64 random = 12345;
    for (int i = 0; i < k_edts; ++i) {
      random = random * 6364136223846793005U + 1;
      constexpr ocrDbAccessMode_t modes[] = {DB_MODE_EW, DB_MODE_RW, DB_MODE_CONST, DB_MODE_RO};
      const ocrDbAccessMode_t mode = modes[random >> 62U];
      const bool releases = (random >> 40U & 1U) != 0;
      const ocrGuid_t edt = spawn(
          [=](u32, ocrEdtDep_t* depv) {
            std::atomic<int>* const mine = mode == DB_MODE_EW      ? &exclusive
                                           : mode == DB_MODE_RW    ? &writers
                                           : mode == DB_MODE_CONST ? &constants
                                                                   : nullptr;
            if (mine) ++*mine;
            EXPECT_NE(depv[0].ptr, nullptr);
            if (mode == DB_MODE_EW) {
              EXPECT_EQ(exclusive, 1);
              EXPECT_EQ(writers + constants, 0);
              ++*static_cast<u64*>(depv[0].ptr); // no lock
            } else if (mode == DB_MODE_RW) {
              EXPECT_EQ(exclusive + constants, 0);
            } else if (mode == DB_MODE_CONST) {
              const u64 before = value_of(depv[0]);
              EXPECT_EQ(exclusive + writers, 0);
              this_task::yield();
              EXPECT_EQ(value_of(depv[0]), before);
            }
            if (mine) --*mine;
            if (releases) {
              EXPECT_EQ(ocrDbRelease(depv[0].guid), 0);
            }
            if (++ended == k_edts) ocrShutdown();
          },
          {.depc = 1});
      EXPECT_EQ(ocrAddDependence(db, edt, 0, mode), 0);
    }
  });
}

TEST_P(ocr_block, r25_null_mode_delivers_the_guid) {
  run_main([&](ocrEdtDep_t*) {
    const ocrGuid_t db = make_block_of(4);
    const ocrGuid_t edt = spawn(
        [db](u32, ocrEdtDep_t* depv) {
          EXPECT_TRUE(same(depv[0].guid, db));
          EXPECT_EQ(depv[0].ptr, nullptr);
          EXPECT_EQ(depv[0].mode, DB_MODE_NULL);
          EXPECT_EQ(ocrDbRelease(db), OCR_EACCES);
          ocrShutdown();
        },
        {.depc = 1});
    EXPECT_EQ(ocrAddDependence(db, edt, 0, DB_MODE_NULL), 0);
  });
}

TEST_P(ocr_block, r26_a_downgrade_lets_others_in_and_keeps_reading) {
  run_main([&](ocrEdtDep_t*) {
    static std::atomic<bool> other_ran;
    other_ran = false;
    const ocrGuid_t db = make_block_of(1);
    const ocrGuid_t first = spawn(
        [](u32, ocrEdtDep_t* depv) {
          *static_cast<u64*>(depv[0].ptr) = 2;
          EXPECT_EQ(ocrDbDowngradeRelease(depv[0].guid), 0);
          EXPECT_EQ(ocrDbDowngradeRelease(depv[0].guid), 0);
          while (!other_ran) this_task::yield();
          EXPECT_EQ(value_of(depv[0]), 2U);
          EXPECT_EQ(ocrDbRelease(depv[0].guid), 0);
          EXPECT_EQ(ocrDbDowngradeRelease(depv[0].guid), OCR_EACCES);
          ocrShutdown();
        },
        {.depc = 1});
    const ocrGuid_t second = spawn(
        [](u32, ocrEdtDep_t* depv) {
          EXPECT_EQ(value_of(depv[0]), 2U);
          other_ran = true;
        },
        {.depc = 1});
    EXPECT_EQ(ocrAddDependence(db, first, 0, DB_MODE_EW), 0);
    EXPECT_EQ(ocrAddDependence(db, second, 0, DB_MODE_CONST), 0);
    EXPECT_EQ(ocrDbDowngradeRelease(db), OCR_EACCES);
  });
}

/// Each EDT wants several blocks for itself, in an order of its own: nobody waits for ever, nothing is lost.
TEST_P(ocr_block, exclusive_blocks_in_any_order_do_not_deadlock) {
  static constexpr int k_edts = 2000;
  static constexpr u32 k_blocks = 7;
  std::vector<u64> expected(k_blocks, 0), found;
  run_main([&](ocrEdtDep_t*) {
    static std::atomic<int> ended;
    ended = 0;
    std::vector<ocrGuid_t> blocks;
    for (u32 i = 0; i < k_blocks; ++i) blocks.push_back(make_block_of(0));
    const ocrGuid_t check = spawn(
        [&found](u32 depc, ocrEdtDep_t* depv) {
          for (u32 i = 0; i + 1 < depc; ++i) found.push_back(value_of(depv[i]));
          ocrShutdown();
        },
        {.depc = k_blocks + 1});
    for (u32 i = 0; i < k_blocks; ++i) EXPECT_EQ(ocrAddDependence(blocks[i], check, i, DB_MODE_CONST), 0);
    u64 random = 99;
    for (int i = 0; i < k_edts; ++i) {
      ocrGuid_t chosen[3];
      for (ocrGuid_t& one : chosen) {
        random = random * 6364136223846793005U + 1442695040888963407U;
        one = blocks[(random >> 33U) % k_blocks];
      }
      const ocrGuid_t edt = spawn(
          [check](u32 depc, ocrEdtDep_t* depv) {
            for (u32 k = 0; k < depc; ++k) ++*static_cast<u64*>(depv[k].ptr);
            if (++ended == k_edts) {
              EXPECT_EQ(ocrAddDependence(NULL_GUID, check, k_blocks, DB_MODE_NULL), 0);
            }
          },
          {.depc = 3});
      for (u32 k = 0; k < 3; ++k) {
        for (u32 b = 0; b < k_blocks; ++b) expected[b] += same(blocks[b], chosen[k]);
        EXPECT_EQ(ocrAddDependence(chosen[k], edt, k, DB_MODE_EW), 0);
      }
    }
  });
  EXPECT_EQ(found, expected);
}

} // namespace treadle::ocr::testing
