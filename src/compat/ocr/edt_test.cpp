// Rules R9 to R16 of the fact sheet: EDTs.

#include "compat/ocr/ocr_fixture.hpp"

namespace treadle::ocr::testing {

class ocr_edt : public ocr_test {};
OCR_WITH_WORKERS(ocr_edt);

TEST_P(ocr_edt, r9_runs_once_and_is_gone) {
  std::atomic<int> ran = 0;
  run_main([&](ocrEdtDep_t*) {
    ocrGuid_t output = NULL_GUID;
    const ocrGuid_t one = spawn([&](u32, ocrEdtDep_t*) { ++ran; }, {.depc = 1, .output = &output});
    const ocrGuid_t after = spawn(
        [&, one](u32, ocrEdtDep_t*) {
          EXPECT_NE(ocrAddDependence(NULL_GUID, one, 0, DB_MODE_NULL), 0);
          ocrShutdown();
        },
        {.depc = 1});
    EXPECT_EQ(ocrAddDependence(output, after, 0, DB_MODE_NULL), 0);
    EXPECT_EQ(ocrAddDependence(NULL_GUID, one, 0, DB_MODE_NULL), 0);
  });
  EXPECT_EQ(ran, 1);
}

TEST_P(ocr_edt, r10_starts_only_with_all_slots_and_blocks) {
  run_main([&](ocrEdtDep_t*) {
    static std::atomic<int> satisfied;
    satisfied = 0;
    const ocrGuid_t edt = spawn(
        [](u32 depc, ocrEdtDep_t* depv) {
          EXPECT_EQ(satisfied, 9);
          for (u32 i = 0; i < depc - 1; ++i) EXPECT_EQ(value_of(depv[i]), i);
          EXPECT_EQ(depv[9].ptr, nullptr);
          EXPECT_TRUE(ocrGuidIsNull(depv[9].guid));
          ocrShutdown();
        },
        {.depc = 10});
    EXPECT_EQ(ocrAddDependence(NULL_GUID, edt, 9, DB_MODE_NULL), 0);
    for (u32 i = 0; i < 9; ++i) {
      const ocrGuid_t event = make(OCR_EVENT_ONCE_T, EVT_PROP_TAKES_ARG);
      EXPECT_EQ(ocrAddDependence(event, edt, i, DB_MODE_EW), 0);
      spawn([event, i](u32, ocrEdtDep_t*) {
        const ocrGuid_t db = make_block_of(i);
        ++satisfied;
        EXPECT_EQ(ocrEventSatisfy(event, db), 0);
      });
    }
  });
}

TEST_P(ocr_edt, r11_releases_its_blocks_before_its_output_event) {
  run_main([&](ocrEdtDep_t*) {
    ocrGuid_t output = NULL_GUID;
    const ocrGuid_t db = make_block_of(1);
    const ocrGuid_t writer = spawn(
        [](u32, ocrEdtDep_t* depv) {
          *static_cast<u64*>(depv[0].ptr) = 5; // not released by a call
          return depv[0].guid;
        },
        {.depc = 1, .output = &output});
    const ocrGuid_t reader = spawn(
        [](u32, ocrEdtDep_t* depv) {
          EXPECT_EQ(value_of(depv[0]), 5U);
          ocrShutdown();
        },
        {.depc = 1});
    EXPECT_EQ(ocrAddDependence(output, reader, 0, DB_MODE_CONST), 0); // which a writer would keep off
    EXPECT_EQ(ocrAddDependence(db, writer, 0, DB_MODE_EW), 0);
  });
}

ocrGuid_t check_parameters(u32 paramc, u64* paramv, u32 depc, ocrEdtDep_t* depv) {
  EXPECT_EQ(paramc, 3U);
  EXPECT_EQ(paramv[0] + paramv[1] + paramv[2], 6U);
  EXPECT_EQ(depc, 2U);
  EXPECT_EQ(depv[0].mode, DB_DEFAULT_MODE);
  EXPECT_EQ(value_of(depv[0]), 11U);
  EXPECT_EQ(depv[1].mode, DB_MODE_RO);
  ocrShutdown();
  return NULL_GUID;
}

TEST_P(ocr_edt, r12_parameters_are_copied_and_depv_has_the_default_mode) {
  run_main([&](ocrEdtDep_t*) {
    ocrGuid_t from = NULL_GUID, edt = NULL_GUID, depv[2] = {make_block_of(11), UNINITIALIZED_GUID};
    u64 paramv[3] = {1, 2, 3};
    EXPECT_EQ(ocrEdtTemplateCreate(&from, check_parameters, 3, 2), 0);
    EXPECT_EQ(ocrEdtCreate(&edt, from, EDT_PARAM_DEF, paramv, EDT_PARAM_DEF, depv, EDT_PROP_NONE, NULL_HINT, nullptr),
              0);
    paramv[0] = paramv[1] = paramv[2] = 100;
    EXPECT_EQ(ocrAddDependence(make_block_of(12), edt, 1, DB_MODE_RO), 0);
  });
}

TEST_P(ocr_edt, r13_output_event_carries_the_returned_block) {
  run_main([&](ocrEdtDep_t*) {
    ocrGuid_t output = NULL_GUID;
    const ocrGuid_t maker = spawn([](u32, ocrEdtDep_t*) { return make_block_of(77); }, {.depc = 1, .output = &output});
    const ocrGuid_t user = spawn(
        [](u32, ocrEdtDep_t* depv) {
          EXPECT_EQ(value_of(depv[0]), 77U);
          ocrShutdown();
        },
        {.depc = 1});
    EXPECT_EQ(ocrAddDependence(output, user, 0, DB_MODE_RO), 0);
    EXPECT_EQ(ocrAddDependence(NULL_GUID, maker, 0, DB_MODE_NULL), 0);
  });
}

TEST_P(ocr_edt, a_returned_event_is_waited_for) {
  run_main([&](ocrEdtDep_t*) {
    ocrGuid_t output = NULL_GUID;
    const ocrGuid_t promised = make(OCR_EVENT_STICKY_T, EVT_PROP_TAKES_ARG);
    const ocrGuid_t maker = spawn(
        [promised](u32, ocrEdtDep_t*) {
          spawn([promised](u32, ocrEdtDep_t*) { EXPECT_EQ(ocrEventSatisfy(promised, make_block_of(5)), 0); });
          return promised;
        },
        {.depc = 1, .output = &output});
    const ocrGuid_t user = spawn(
        [](u32, ocrEdtDep_t* depv) {
          EXPECT_EQ(value_of(depv[0]), 5U);
          ocrShutdown();
        },
        {.depc = 1});
    EXPECT_EQ(ocrAddDependence(output, user, 0, DB_MODE_RO), 0);
    EXPECT_EQ(ocrAddDependence(NULL_GUID, maker, 0, DB_MODE_NULL), 0);
  });
}

void make_tree(int depth, std::atomic<int>& ended) {
  if (depth > 0) {
    for (int i = 0; i < 3; ++i) spawn([depth, &ended](u32, ocrEdtDep_t*) { make_tree(depth - 1, ended); });
  }
  ++ended;
}

TEST_P(ocr_edt, r13_a_finish_edt_fires_after_all_that_came_from_it) {
  std::atomic<int> ended = 0;
  run_main([&](ocrEdtDep_t*) {
    ocrGuid_t output = NULL_GUID;
    const ocrGuid_t root = spawn(
        [&](u32, ocrEdtDep_t*) {
          make_tree(5, ended);
          return make_block_of(1); // is dropped
        },
        {.depc = 1, .props = EDT_PROP_FINISH, .output = &output});
    const ocrGuid_t after = spawn(
        [&](u32, ocrEdtDep_t* depv) {
          EXPECT_EQ(ended, 1 + 3 + 9 + 27 + 81 + 243);
          EXPECT_TRUE(ocrGuidIsNull(depv[0].guid));
          ocrShutdown();
        },
        {.depc = 1});
    EXPECT_EQ(ocrAddDependence(output, after, 0, DB_MODE_NULL), 0);
    EXPECT_EQ(ocrAddDependence(NULL_GUID, root, 0, DB_MODE_NULL), 0);
  });
  EXPECT_EQ(ended, 364);
}

TEST_P(ocr_edt, r13_nested_finish_scopes_end_from_the_inside) {
  std::atomic<int> order = 0;
  run_main([&](ocrEdtDep_t*) {
    ocrGuid_t outer_output = NULL_GUID;
    const ocrGuid_t outer = spawn(
        [&](u32, ocrEdtDep_t*) {
          ocrGuid_t inner_output = NULL_GUID;
          const ocrGuid_t inner = spawn(
              [&](u32, ocrEdtDep_t*) {
                for (int i = 0; i < 10; ++i) spawn([&](u32, ocrEdtDep_t*) { ++order; });
              },
              {.depc = 1, .props = EDT_PROP_FINISH, .output = &inner_output});
          const ocrGuid_t after = spawn([&](u32, ocrEdtDep_t*) { EXPECT_EQ(order.fetch_add(1), 10); }, {.depc = 1});
          EXPECT_EQ(ocrAddDependence(inner_output, after, 0, DB_MODE_NULL), 0);
          EXPECT_EQ(ocrAddDependence(NULL_GUID, inner, 0, DB_MODE_NULL), 0);
        },
        {.depc = 1, .props = EDT_PROP_FINISH, .output = &outer_output});
    const ocrGuid_t end = spawn(
        [&](u32, ocrEdtDep_t*) {
          EXPECT_EQ(order, 11);
          ocrShutdown();
        },
        {.depc = 1});
    EXPECT_EQ(ocrAddDependence(outer_output, end, 0, DB_MODE_NULL), 0);
    EXPECT_EQ(ocrAddDependence(NULL_GUID, outer, 0, DB_MODE_NULL), 0);
  });
  EXPECT_EQ(order, 11);
}

TEST_P(ocr_edt, r14_output_event_goes_with_its_satisfaction) {
  run_main([&](ocrEdtDep_t*) {
    ocrGuid_t output = NULL_GUID;
    const ocrGuid_t edt = spawn([](u32, ocrEdtDep_t*) {}, {.depc = 1, .output = &output});
    const ocrGuid_t after = spawn(
        [output](u32, ocrEdtDep_t*) {
          EXPECT_EQ(ocrEventSatisfy(output, NULL_GUID), OCR_EINVAL);
          ocrShutdown();
        },
        {.depc = 1});
    EXPECT_EQ(ocrAddDependence(output, after, 0, DB_MODE_NULL), 0);
    EXPECT_EQ(ocrAddDependence(NULL_GUID, edt, 0, DB_MODE_NULL), 0);
  });
}

TEST_P(ocr_edt, r14_a_given_latch_is_counted_down) {
  std::atomic<int> ended = 0;
  run_main([&](ocrEdtDep_t*) {
    ocrGuid_t latch = make(OCR_EVENT_LATCH_T, {.EVENT_LATCH = {8}}, EVT_PROP_NONE);
    const ocrGuid_t after = spawn(
        [&](u32, ocrEdtDep_t*) {
          EXPECT_EQ(ended, 8);
          ocrShutdown();
        },
        {.depc = 1});
    EXPECT_EQ(ocrAddDependence(latch, after, 0, DB_MODE_NULL), 0);
    for (int i = 0; i < 8; ++i) {
      spawn([&](u32, ocrEdtDep_t*) { ++ended; },
            {.props = static_cast<u16>(EDT_PROP_OEVT_VALID | (i % 2 == 0 ? EDT_PROP_FINISH : 0)), .output = &latch});
    }
  });
}

TEST_P(ocr_edt, r15_edts_survive_their_template) { // make_edt() destroys it before the EDT can run
  std::atomic<int> ran = 0;
  run_main([&](ocrEdtDep_t*) {
    const ocrGuid_t edt = spawn([&](u32, ocrEdtDep_t*) { ++ran, ocrShutdown(); }, {.depc = 1});
    EXPECT_EQ(ocrAddDependence(NULL_GUID, edt, 0, DB_MODE_NULL), 0);
  });
  EXPECT_EQ(ran, 1);
}

TEST_P(ocr_edt, r16_destruction_takes_the_output_event_and_leaves_the_scope) {
  std::atomic<int> ran = 0;
  run_main([&](ocrEdtDep_t*) {
    ocrGuid_t output = NULL_GUID;
    const ocrGuid_t root = spawn(
        [&](u32, ocrEdtDep_t*) {
          for (const u16 props : {EDT_PROP_NONE, EDT_PROP_FINISH}) {
            ocrGuid_t own = NULL_GUID;
            const ocrGuid_t never =
                spawn([&](u32, ocrEdtDep_t*) { ++ran; }, {.depc = 2, .props = props, .output = &own});
            EXPECT_EQ(ocrAddDependence(NULL_GUID, never, 0, DB_MODE_NULL), 0);
            EXPECT_EQ(ocrEdtDestroy(never), 0);
            EXPECT_EQ(ocrEdtDestroy(never), OCR_EINVAL);
            EXPECT_EQ(ocrEventDestroy(own), OCR_EINVAL);
          }
        },
        {.depc = 1, .props = EDT_PROP_FINISH, .output = &output});
    const ocrGuid_t after = spawn([](u32, ocrEdtDep_t*) { ocrShutdown(); }, {.depc = 1});
    EXPECT_EQ(ocrAddDependence(output, after, 0, DB_MODE_NULL), 0);
    EXPECT_EQ(ocrAddDependence(NULL_GUID, root, 0, DB_MODE_NULL), 0);
  });
  EXPECT_EQ(ran, 0);
}

ocrGuid_t nothing(u32, u64*, u32, ocrEdtDep_t*) { return NULL_GUID; }

TEST_P(ocr_edt, u11_counts_have_to_be_those_of_the_template) {
  run_main([&](ocrEdtDep_t*) {
    ocrGuid_t fixed = NULL_GUID, open = NULL_GUID, edt = NULL_GUID;
    u64 paramv[4] = {};
    EXPECT_EQ(ocrEdtTemplateCreate(&fixed, nothing, 1, 1), 0);
    EXPECT_EQ(ocrEdtTemplateCreate(&open, &nothing, EDT_PARAM_UNK, EDT_PARAM_UNK), 0);
    const auto create = [&](ocrGuid_t from, u32 paramc, u64* params, u32 depc) {
      return ocrEdtCreate(&edt, from, paramc, params, depc, nullptr, EDT_PROP_NONE, NULL_HINT, nullptr);
    };
    EXPECT_EQ(create(fixed, 2, paramv, 1), OCR_EINVAL);
    EXPECT_EQ(create(fixed, 1, paramv, 2), OCR_EINVAL);
    EXPECT_EQ(create(fixed, 1, nullptr, 1), OCR_EINVAL);
    EXPECT_EQ(create(open, 0, paramv, 1), OCR_EINVAL);
    EXPECT_EQ(create(open, EDT_PARAM_DEF, paramv, 1), OCR_EINVAL);
    EXPECT_EQ(create(open, EDT_PARAM_UNK, paramv, 1), OCR_EINVAL);
    EXPECT_EQ(create(NULL_GUID, 0, nullptr, 0), OCR_EINVAL);
    EXPECT_EQ(ocrEdtCreate(nullptr, open, 0, nullptr, 1, nullptr, EDT_PROP_NONE, NULL_HINT, nullptr), OCR_EPERM);
    EXPECT_EQ(ocrEdtCreate(&edt, open, 0, nullptr, 0, nullptr, 0x80, NULL_HINT, nullptr), OCR_EINVAL);
    ocrGuid_t none = NULL_GUID, block = make_block_of(1);
    for (ocrGuid_t* const output : {static_cast<ocrGuid_t*>(nullptr), &none, &block}) { // U18
      EXPECT_EQ(ocrEdtCreate(&edt, open, 0, nullptr, 0, nullptr, EDT_PROP_OEVT_VALID, NULL_HINT, output), OCR_EINVAL);
    }
    EXPECT_EQ(create(open, 4, paramv, 3), 0);
    EXPECT_EQ(create(open, 0, nullptr, 0), 0);
    EXPECT_EQ(create(fixed, EDT_PARAM_DEF, paramv, EDT_PARAM_DEF), 0);
    ocrShutdown();
  });
}

TEST_P(ocr_edt, without_a_place_for_its_guid_it_runs_all_the_same) {
  std::atomic<int> ran = 0;
  run_main([&](ocrEdtDep_t*) {
    static std::atomic<int>* count;
    count = &ran;
    ocrGuid_t from = NULL_GUID, depv[1] = {make_block_of(3)};
    const ocrEdt_t function = [](u32, u64*, u32, ocrEdtDep_t* d) {
      *count += static_cast<int>(value_of(d[0]));
      ocrShutdown();
      return NULL_GUID;
    };
    EXPECT_EQ(ocrEdtTemplateCreate(&from, function, 0, 1), 0);
    EXPECT_EQ(ocrEdtCreate(nullptr, from, 0, nullptr, 1, depv, EDT_PROP_NONE, NULL_HINT, nullptr), 0);
  });
  EXPECT_EQ(ran, 3);
}

TEST_P(ocr_edt, with_thousands_of_slots_and_parameters) {
  u64 sum = 0;
  run_main([&](ocrEdtDep_t*) {
    constexpr u32 k_slots = 5000;
    const ocrGuid_t edt = spawn(
        [&](u32 depc, ocrEdtDep_t* depv) {
          for (u32 i = 0; i < depc; ++i) sum += value_of(depv[i]);
          ocrShutdown();
        },
        {.depc = k_slots});
    std::vector<ocrGuid_t> blocks;
    for (u64 i = 0; i < 100; ++i) blocks.push_back(make_block_of(i));
    for (u32 i = 0; i < k_slots; ++i) EXPECT_EQ(ocrAddDependence(blocks[i % 100], edt, i, DB_MODE_RW), 0);
  });
  EXPECT_EQ(sum, 50U * 4950U);
}

} // namespace treadle::ocr::testing
