// Rules R32 and R33 of the fact sheet: labels.

#include "compat/ocr/ocr_fixture.hpp"

#include <treadle/this_task.hpp>

namespace treadle::ocr::testing {

class ocr_label : public ocr_test {};
OCR_WITH_WORKERS(ocr_label);

ocrGuid_t make_range(u64 count, ocrGuidUserKind of) {
  ocrGuid_t range = NULL_GUID;
  EXPECT_EQ(ocrGuidRangeCreate(&range, count, of), 0);
  return range;
}
ocrGuid_t label_of(ocrGuid_t range, u64 i) {
  ocrGuid_t guid = NULL_GUID;
  EXPECT_EQ(ocrGuidFromIndex(&guid, range, i), 0);
  return guid;
}

TEST_P(ocr_label, r32_check_creates_once) {
  static constexpr int k_edts = 200;
  static constexpr u64 k_labels = 10;
  std::atomic<int> created = 0, refused = 0, ran = 0;
  run_main([&](ocrEdtDep_t*) {
    const ocrGuid_t range = make_range(k_labels, GUID_USER_EVENT_STICKY);
    for (int i = 0; i < k_edts; ++i) {
      const u64 index = static_cast<u64>(i) % k_labels;
      spawn([=, &created, &refused, &ran](u32, ocrEdtDep_t*) {
        ocrGuid_t event = label_of(range, index);
        const ocrGuid_t label = event;
        const u8 code = ocrEventCreate(&event, OCR_EVENT_STICKY_T, EVT_PROP_TAKES_ARG | GUID_PROP_CHECK);
        EXPECT_TRUE(same(event, label));
        ++(code == 0 ? created : refused);
        if (code == 0) {
          EXPECT_EQ(ocrEventSatisfy(event, make_block_of(index)), 0);
        } else {
          EXPECT_EQ(code, OCR_EGUIDEXISTS);
        }
        // It is there in any case, or about to be: then the dependence fails, and is tried again.
        const ocrGuid_t after = spawn(
            [&ran, index](u32, ocrEdtDep_t* depv) {
              EXPECT_EQ(value_of(depv[0]), index);
              if (++ran == k_edts) ocrShutdown();
            },
            {.depc = 1});
        while (ocrAddDependence(event, after, 0, DB_MODE_RO) != 0) this_task::yield();
      });
    }
  });
  EXPECT_EQ(created, static_cast<int>(k_labels));
  EXPECT_EQ(refused, k_edts - static_cast<int>(k_labels));
  EXPECT_EQ(ran, k_edts);
}

TEST_P(ocr_label, r32_block_waits_until_it_is_free) {
  static constexpr int k_edts = 50;
  std::atomic<int> ended = 0, present = 0;
  run_main([&](ocrEdtDep_t*) {
    const ocrGuid_t range = make_range(1, GUID_USER_DB);
    for (int i = 0; i < k_edts; ++i) {
      spawn([=, &ended, &present](u32, ocrEdtDep_t*) {
        ocrGuid_t db = label_of(range, 0);
        void* memory = nullptr;
        EXPECT_EQ(ocrDbCreate(&db, &memory, 16, GUID_PROP_BLOCK, NULL_HINT, NO_ALLOC),
                  is_stopping() ? OCR_EGUIDEXISTS : 0);
        EXPECT_EQ(++present, 1);
        this_task::yield();
        EXPECT_EQ(--present, 0);
        EXPECT_EQ(ocrDbDestroy(db), 0);
        if (++ended == k_edts) ocrShutdown();
      });
    }
  });
  EXPECT_EQ(ended, k_edts);
}

TEST_P(ocr_label, r32_is_labeled_makes_objects_of_every_kind) {
  run_main([&](ocrEdtDep_t*) {
    ocrGuid_t event = label_of(make_range(3, GUID_USER_EVENT_ONCE), 2);
    EXPECT_EQ(ocrEventCreate(&event, OCR_EVENT_STICKY_T, GUID_PROP_IS_LABELED), OCR_EINVAL); // another kind
    event = label_of(make_range(3, GUID_USER_EVENT_ONCE), 2);
    EXPECT_EQ(ocrEventSatisfy(event, NULL_GUID), OCR_EINVAL); // not there yet
    EXPECT_EQ(ocrEventCreate(&event, OCR_EVENT_ONCE_T, EVT_PROP_TAKES_ARG | GUID_PROP_IS_LABELED), 0);
    ocrGuid_t db = label_of(make_range(1, GUID_USER_DB), 0);
    void* memory = nullptr;
    EXPECT_EQ(ocrDbCreate(&db, &memory, 8, GUID_PROP_IS_LABELED, NULL_HINT, NO_ALLOC), 0);
    *static_cast<u64*>(memory) = 12;
    EXPECT_EQ(ocrDbRelease(db), 0);
    ocrGuid_t from = NULL_GUID, edt = label_of(make_range(5, GUID_USER_EDT), 4);
    static ocrGuid_t edt_label, db_label;
    edt_label = edt;
    db_label = db;
    const ocrEdt_t function = [](u32, u64*, u32, ocrEdtDep_t* depv) {
      EXPECT_EQ(value_of(depv[0]), 12U);
      EXPECT_TRUE(same(depv[0].guid, db_label)); // as it was named
      EXPECT_EQ(ocrDbDestroy(depv[0].guid), 0);
      ocrShutdown();
      return NULL_GUID;
    };
    EXPECT_EQ(ocrEdtTemplateCreate(&from, function, 0, 1), 0);
    ocrGuid_t output = NULL_GUID; // U20
    EXPECT_EQ(ocrEdtCreate(&edt, from, 0, nullptr, 1, &db, GUID_PROP_IS_LABELED, NULL_HINT, nullptr), OCR_EINVAL);
    EXPECT_EQ(ocrEdtCreate(&edt, from, 0, nullptr, 1, nullptr, GUID_PROP_IS_LABELED, NULL_HINT, &output), OCR_EINVAL);
    EXPECT_EQ(ocrEdtCreate(&edt, from, 0, nullptr, 1, nullptr, GUID_PROP_IS_LABELED, NULL_HINT, nullptr), 0);
    EXPECT_TRUE(same(edt, edt_label));
    EXPECT_EQ(ocrAddDependence(event, edt, 0, DB_MODE_EW), 0);
    EXPECT_EQ(ocrEventSatisfy(event, db), 0);
  });
}

TEST_P(ocr_label, r33_a_label_is_free_again_with_its_object) {
  run_main([&](ocrEdtDep_t*) {
    const ocrGuid_t range = make_range(2, GUID_USER_EVENT_STICKY), label = label_of(range, 1);
    for (int i = 0; i < 100; ++i) {
      ocrGuid_t event = label;
      EXPECT_EQ(ocrEventCreate(&event, OCR_EVENT_STICKY_T, GUID_PROP_CHECK), 0);
      EXPECT_EQ(ocrEventCreate(&event, OCR_EVENT_STICKY_T, GUID_PROP_CHECK), OCR_EGUIDEXISTS);
      EXPECT_EQ(ocrEventDestroy(event), 0);
      EXPECT_EQ(ocrEventDestroy(event), OCR_EINVAL);
    }
    ocrGuid_t used = label_of(range, 0), unused = label;
    EXPECT_EQ(ocrEventCreate(&used, OCR_EVENT_STICKY_T, GUID_PROP_CHECK), 0);
    EXPECT_EQ(ocrGuidRangeDestroy(range), 0);
    EXPECT_EQ(ocrGuidMapDestroy(range), OCR_EINVAL);
    EXPECT_EQ(ocrEventSatisfy(used, NULL_GUID), 0); // stays
    EXPECT_EQ(ocrEventCreate(&unused, OCR_EVENT_STICKY_T, GUID_PROP_CHECK), OCR_EINVAL);
    ocrShutdown();
  });
}

TEST_P(ocr_label, r33_an_edt_can_use_its_own_label_again) {
  std::atomic<int> ran = 0;
  run_main([&](ocrEdtDep_t*) {
    static std::atomic<int>* count;
    static ocrGuid_t from, label;
    count = &ran;
    label = label_of(make_range(1, GUID_USER_EDT), 0);
    const ocrEdt_t function = [](u32, u64*, u32, ocrEdtDep_t*) {
      if (++*count == 10) {
        ocrShutdown();
        return NULL_GUID;
      }
      ocrGuid_t next = label;
      EXPECT_EQ(ocrEdtCreate(&next, from, 0, nullptr, 0, nullptr, GUID_PROP_CHECK, NULL_HINT, nullptr), 0);
      return NULL_GUID;
    };
    EXPECT_EQ(ocrEdtTemplateCreate(&from, function, 0, 0), 0);
    ocrGuid_t first = label;
    EXPECT_EQ(ocrEdtCreate(&first, from, 0, nullptr, 0, nullptr, GUID_PROP_CHECK, NULL_HINT, nullptr), 0);
  });
  EXPECT_EQ(ran, 10);
}

ocrGuid_t two_dimensions(ocrGuid_t start, u64 skip, s64* params, s64* tuple) {
  return addValueToGuid(start, skip * static_cast<u64>(tuple[0] * params[0] + tuple[1]));
}

TEST_P(ocr_label, maps_find_labels_by_their_function) {
  run_main([&](ocrEdtDep_t*) {
    ocrGuid_t map = NULL_GUID, guid = NULL_GUID, other = NULL_GUID;
    s64 params[1] = {10};
    EXPECT_EQ(ocrGuidMapCreate(&map, 1, two_dimensions, params, 100, GUID_USER_EVENT_STICKY), 0);
    params[0] = 0; // copied
    std::vector<intptr_t> seen;
    for (s64 x = 0; x < 10; ++x) {
      for (s64 y = 0; y < 10; ++y) {
        s64 tuple[2] = {x, y};
        EXPECT_EQ(ocrGuidFromLabel(&guid, map, tuple), 0);
        seen.push_back(guid.guid);
        EXPECT_EQ(ocrGuidFromLabel(&other, map, tuple), 0);
        EXPECT_TRUE(same(guid, other));
      }
    }
    std::sort(seen.begin(), seen.end());
    EXPECT_EQ(std::unique(seen.begin(), seen.end()) - seen.begin(), 100);
    s64 outside[2] = {10, 0};
    EXPECT_EQ(ocrGuidFromLabel(&guid, map, outside), OCR_EINVAL);
    const ocrGuid_t range = make_range(3, GUID_USER_DB);
    EXPECT_EQ(ocrGuidFromLabel(&guid, range, outside), OCR_EINVAL);
    EXPECT_EQ(ocrGuidFromIndex(&guid, map, 0), OCR_EINVAL);
    EXPECT_EQ(ocrGuidFromIndex(&guid, range, 3), OCR_EINVAL);
    EXPECT_EQ(ocrGuidMapSetDefaultMap(1, two_dimensions, params, 10, GUID_USER_DB), OCR_ENOTSUP);
    ocrGuidUserKind kind = GUID_USER_NONE;
    EXPECT_EQ(ocrGetGuidKind(&kind, label_of(range, 0)), 0);
    EXPECT_EQ(kind, GUID_USER_DB);
    EXPECT_EQ(ocrGetGuidKind(&kind, make(OCR_EVENT_LATCH_T)), 0);
    EXPECT_EQ(kind, GUID_USER_EVENT_LATCH);
    EXPECT_EQ(ocrGetGuidKind(&kind, ERROR_GUID), 0);
    EXPECT_EQ(kind, GUID_USER_NONE);
    ocrShutdown();
  });
}

} // namespace treadle::ocr::testing
