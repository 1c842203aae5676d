// Rules R17 to R20 and R29 to R31 of the fact sheet: events. Every kind, satisfied before and after its dependences.

#include "compat/ocr/ocr_fixture.hpp"

#include <cstdlib>

namespace treadle::ocr::testing {

class ocr_event : public ocr_test {};
OCR_WITH_WORKERS(ocr_event);

/// An EDT that counts, and ends the program as the last one.
ocrGuid_t counting_edt(std::atomic<int>& count, int last, u64 expected = ~u64{0}) {
  return spawn(
      [&count, last, expected](u32, ocrEdtDep_t* depv) {
        EXPECT_EQ(value_of(depv[0]), expected);
        if (++count == last) ocrShutdown();
      },
      {.depc = 1});
}

TEST_P(ocr_event, r17_a_second_satisfaction_of_idem_is_ignored_and_of_sticky_refused) {
  std::atomic<int> ran = 0;
  run_main([&](ocrEdtDep_t*) {
    const ocrGuid_t idem = make(OCR_EVENT_IDEM_T, EVT_PROP_TAKES_ARG),
                    sticky = make(OCR_EVENT_STICKY_T, EVT_PROP_TAKES_ARG);
    EXPECT_EQ(ocrEventSatisfy(idem, make_block_of(1)), 0);
    EXPECT_EQ(ocrEventSatisfy(idem, make_block_of(2)), 0);
    EXPECT_EQ(ocrEventSatisfy(sticky, make_block_of(3)), 0);
    EXPECT_EQ(ocrEventSatisfy(sticky, make_block_of(4)), OCR_EPERM);
    EXPECT_EQ(ocrAddDependence(idem, counting_edt(ran, 4, 1), 0, DB_MODE_RO), 0);
    EXPECT_EQ(ocrAddDependence(sticky, counting_edt(ran, 4, 3), 0, DB_MODE_RO), 0);
    EXPECT_EQ(ocrAddDependence(sticky, counting_edt(ran, 4, 3), 0, DB_MODE_RW), 0);
    EXPECT_EQ(ocrAddDependence(idem, counting_edt(ran, 4, 1), 0, DB_MODE_CONST), 0);
  });
  EXPECT_EQ(ran, 4);
}

TEST_P(ocr_event, r18_once_is_gone_when_its_dependents_run) {
  run_main([&](ocrEdtDep_t*) {
    const ocrGuid_t once = make(OCR_EVENT_ONCE_T);
    std::vector<ocrGuid_t> edts;
    static std::atomic<int> ran;
    ran = 0;
    for (int i = 0; i < 5; ++i) {
      const ocrGuid_t edt = spawn(
          [once](u32, ocrEdtDep_t*) {
            EXPECT_EQ(ocrEventDestroy(once), OCR_EINVAL);
            if (++ran == 5) ocrShutdown();
          },
          {.depc = 1});
      EXPECT_EQ(ocrAddDependence(once, edt, 0, DB_MODE_NULL), 0);
    }
    EXPECT_EQ(ocrEventSatisfy(once, NULL_GUID), 0);
    EXPECT_EQ(ocrEventSatisfy(once, NULL_GUID), OCR_EINVAL);
  });
}

TEST_P(ocr_event, r18_a_latch_fires_at_equal_counts_and_drops_blocks) {
  std::atomic<int> ran = 0;
  run_main([&](ocrEdtDep_t*) {
    const ocrGuid_t latch = make(OCR_EVENT_LATCH_T), early = make(OCR_EVENT_LATCH_T);
    EXPECT_EQ(ocrAddDependence(latch, counting_edt(ran, 2), 0, DB_MODE_RO), 0);
    EXPECT_EQ(ocrAddDependence(early, counting_edt(ran, 2), 0, DB_MODE_RO), 0);
    for (int i = 0; i < 10; ++i) EXPECT_EQ(ocrEventSatisfySlot(latch, NULL_GUID, OCR_EVENT_LATCH_INCR_SLOT), 0);
    for (int i = 0; i < 10; ++i) EXPECT_EQ(ocrEventSatisfySlot(latch, make_block_of(1), OCR_EVENT_LATCH_DECR_SLOT), 0);
    EXPECT_EQ(ocrEventSatisfySlot(latch, NULL_GUID, OCR_EVENT_LATCH_DECR_SLOT), OCR_EINVAL); // gone
    EXPECT_EQ(ocrEventSatisfy(early, NULL_GUID), 0); // the DECR slot, before INCR
    EXPECT_EQ(ocrEventSatisfySlot(early, NULL_GUID, OCR_EVENT_LATCH_INCR_SLOT), 0);
  });
  EXPECT_EQ(ran, 2);
}

TEST_P(ocr_event, r19_dependences_fire_although_the_event_is_destroyed_after_it_triggered) {
  std::atomic<int> ran = 0;
  run_main([&](ocrEdtDep_t*) {
    for (const ocrEventTypes_t type : {OCR_EVENT_IDEM_T, OCR_EVENT_STICKY_T}) {
      const ocrGuid_t event = make(type, EVT_PROP_TAKES_ARG);
      EXPECT_EQ(ocrAddDependence(event, counting_edt(ran, 2, 8), 0, DB_MODE_RO), 0);
      EXPECT_EQ(ocrEventSatisfy(event, make_block_of(8)), 0);
      EXPECT_EQ(ocrEventDestroy(event), 0);
    }
  });
  EXPECT_EQ(ran, 2);
}

TEST_P(ocr_event, r20_without_takes_arg_a_block_is_dropped) {
  std::atomic<int> ran = 0;
  run_main([&](ocrEdtDep_t*) {
    const ocrGuid_t without = make(OCR_EVENT_STICKY_T), with = make(OCR_EVENT_STICKY_T, EVT_PROP_TAKES_ARG);
    EXPECT_EQ(ocrAddDependence(without, counting_edt(ran, 2), 0, DB_MODE_RO), 0);
    EXPECT_EQ(ocrAddDependence(with, counting_edt(ran, 2), 0, DB_MODE_RO), 0);
    EXPECT_EQ(ocrEventSatisfy(without, make_block_of(1)), OCR_EPERM);
    EXPECT_EQ(ocrEventSatisfy(with, NULL_GUID), 0);
  });
  EXPECT_EQ(ran, 2);
}

TEST_P(ocr_event, blocks_are_passed_on_without_takes_arg_where_that_is_asked_for) {
  std::atomic<int> ran = 0;
  setenv("TREADLE_OCR_PASS_BLOCKS", "1", 1);
  run_main([&](ocrEdtDep_t*) {
    const ocrGuid_t without = make(OCR_EVENT_STICKY_T);
    EXPECT_EQ(ocrAddDependence(without, counting_edt(ran, 1, 6), 0, DB_MODE_RO), 0);
    EXPECT_EQ(ocrEventSatisfy(without, make_block_of(6)), 0);
  });
  unsetenv("TREADLE_OCR_PASS_BLOCKS");
  EXPECT_EQ(ran, 1);
}

TEST_P(ocr_event, r29_parameters_are_copied) {
  std::atomic<int> ran = 0;
  run_main([&](ocrEdtDep_t*) {
    ocrEventParams_t params;
    params.EVENT_LATCH.counter = 2;
    ocrGuid_t latch = NULL_GUID;
    EXPECT_EQ(ocrEventCreateParams(&latch, OCR_EVENT_LATCH_T, EVT_PROP_NONE, &params), 0);
    params.EVENT_LATCH.counter = 100;
    EXPECT_EQ(ocrAddDependence(latch, counting_edt(ran, 1), 0, DB_MODE_NULL), 0);
    EXPECT_EQ(ocrEventSatisfy(latch, NULL_GUID), 0);
    EXPECT_EQ(ran, 0);
    EXPECT_EQ(ocrEventSatisfy(latch, NULL_GUID), 0);
  });
  EXPECT_EQ(ran, 1);
}

TEST_P(ocr_event, r30_a_counted_event_goes_with_its_last_dependence) {
  std::atomic<int> ran = 0;
  run_main([&](ocrEdtDep_t*) {
    const ocrGuid_t counted = make(OCR_EVENT_COUNTED_T, {.EVENT_COUNTED = {4}});
    EXPECT_EQ(ocrAddDependence(counted, counting_edt(ran, 6, 5), 0, DB_MODE_RO), 0);
    EXPECT_EQ(ocrAddDependence(counted, counting_edt(ran, 6, 5), 0, DB_MODE_RO), 0);
    EXPECT_EQ(ocrEventSatisfy(counted, make_block_of(5)), 0);
    EXPECT_EQ(ocrEventSatisfy(counted, NULL_GUID), OCR_EPERM);
    EXPECT_EQ(ocrAddDependence(counted, counting_edt(ran, 6, 5), 0, DB_MODE_RO), 0); // at once
    EXPECT_EQ(ocrAddDependence(counted, counting_edt(ran, 6, 5), 0, DB_MODE_RO), 0);
    EXPECT_EQ(ocrEventDestroy(counted), OCR_EINVAL); // gone
    const ocrGuid_t other = make(OCR_EVENT_COUNTED_T, {.EVENT_COUNTED = {2}});
    for (int i = 0; i < 2; ++i) EXPECT_EQ(ocrAddDependence(other, counting_edt(ran, 6, 6), 0, DB_MODE_RO), 0);
    EXPECT_EQ(ocrAddDependence(other, counting_edt(ran, 7, 6), 0, DB_MODE_RO), OCR_EPERM); // U19
    EXPECT_EQ(ocrEventSatisfy(other, make_block_of(6)), 0);
    EXPECT_EQ(ocrEventDestroy(other), OCR_EINVAL);
  });
  EXPECT_EQ(ran, 6);
}

TEST_P(ocr_event, r31_a_channel_pairs_satisfactions_and_dependences_in_their_order) {
  std::atomic<int> ran = 0;
  run_main([&](ocrEdtDep_t*) {
    const ocrGuid_t channel = make(OCR_EVENT_CHANNEL_T, {.EVENT_CHANNEL = {3, 1, 1}});
    for (u64 round = 0; round < 10; ++round) {
      for (u64 i = 0; i < 3; ++i) EXPECT_EQ(ocrEventSatisfy(channel, make_block_of(10 * round + i)), 0);
      EXPECT_TRUE(ocrLegacyIsChannelReady(channel));
      EXPECT_EQ(ocrEventSatisfy(channel, NULL_GUID), OCR_ENOSPC); // U19
      for (u64 i = 0; i < 3; ++i)
        EXPECT_EQ(ocrAddDependence(channel, counting_edt(ran, 60, 10 * round + i), 0, DB_MODE_RO), 0);
      EXPECT_FALSE(ocrLegacyIsChannelReady(channel));
      for (u64 i = 0; i < 3; ++i) EXPECT_EQ(ocrAddDependence(channel, counting_edt(ran, 60, i), 0, DB_MODE_RO), 0);
      for (u64 i = 0; i < 3; ++i) EXPECT_EQ(ocrEventSatisfy(channel, make_block_of(i)), 0);
    }
    EXPECT_EQ(ocrEventDestroy(channel), 0);
  });
  EXPECT_EQ(ran, 60);
}

TEST_P(ocr_event, impossible_ones_are_refused_at_once) {
  run_main([&](ocrEdtDep_t*) {
    ocrGuid_t event = ERROR_GUID;
    EXPECT_EQ(ocrEventCreate(&event, static_cast<ocrEventTypes_t>(0), EVT_PROP_NONE), OCR_EINVAL);
    EXPECT_TRUE(ocrGuidIsNull(event));
    EXPECT_EQ(ocrEventCreate(&event, OCR_EVENT_T_MAX, EVT_PROP_NONE), OCR_EINVAL);
    EXPECT_EQ(ocrEventCreate(&event, OCR_EVENT_ONCE_T, 0x8), OCR_EINVAL);
    EXPECT_EQ(ocrEventCreate(&event, OCR_EVENT_COUNTED_T, EVT_PROP_NONE), OCR_EINVAL);
    ocrEventParams_t params{};
    EXPECT_EQ(ocrEventCreateParams(&event, OCR_EVENT_COUNTED_T, EVT_PROP_NONE, &params), OCR_EINVAL);
    params.EVENT_CHANNEL = {0, 1, 1};
    EXPECT_EQ(ocrEventCreateParams(&event, OCR_EVENT_CHANNEL_T, EVT_PROP_NONE, &params), OCR_EINVAL);
    params.EVENT_CHANNEL = {1, 2, 1};
    EXPECT_EQ(ocrEventCreateParams(&event, OCR_EVENT_CHANNEL_T, EVT_PROP_NONE, &params), OCR_EINVAL);
    EXPECT_EQ(ocrEventCreateParams(&event, OCR_EVENT_STICKY_T, EVT_PROP_NONE, nullptr), 0);
    EXPECT_EQ(ocrEventSatisfy(NULL_GUID, NULL_GUID), 0);
    EXPECT_EQ(ocrEventSatisfy(ERROR_GUID, NULL_GUID), OCR_EINVAL);
    EXPECT_EQ(ocrEventSatisfy(UNINITIALIZED_GUID, NULL_GUID), OCR_EINVAL);
    EXPECT_EQ(ocrEventSatisfySlot(event, NULL_GUID, 1), OCR_EINVAL);
    EXPECT_EQ(ocrEventSatisfy(event, event), OCR_EINVAL);
    ocrShutdown();
  });
}

TEST_P(ocr_event, long_chains_of_events_need_no_stack) {
  std::atomic<int> ran = 0;
  run_main([&](ocrEdtDep_t*) {
    const ocrGuid_t first = make(OCR_EVENT_ONCE_T, EVT_PROP_TAKES_ARG);
    ocrGuid_t last = first;
    for (int i = 0; i < 200'000; ++i) {
      const ocrGuid_t next = make(OCR_EVENT_ONCE_T, EVT_PROP_TAKES_ARG);
      EXPECT_EQ(ocrAddDependence(last, next, 0, DB_MODE_RO), 0);
      last = next;
    }
    EXPECT_EQ(ocrAddDependence(last, counting_edt(ran, 1, 4), 0, DB_MODE_RO), 0);
    EXPECT_EQ(ocrEventSatisfy(first, make_block_of(4)), 0);
  });
  EXPECT_EQ(ran, 1);
}

TEST_P(ocr_event, satisfied_and_waited_for_at_the_same_time) {
  constexpr int k_events = 500;
  std::atomic<int> ran = 0;
  run_main([&](ocrEdtDep_t*) {
    for (int i = 0; i < k_events; ++i) {
      const ocrEventTypes_t type = i % 3 == 0   ? OCR_EVENT_STICKY_T
                                   : i % 3 == 1 ? OCR_EVENT_IDEM_T
                                                : OCR_EVENT_COUNTED_T;
      const ocrGuid_t event = make(type, {.EVENT_COUNTED = {2}});
      const u64 value = static_cast<u64>(i);
      spawn([=](u32, ocrEdtDep_t*) { EXPECT_EQ(ocrEventSatisfy(event, make_block_of(value)), 0); });
      for (int k = 0; k < 2; ++k) {
        spawn([=, &ran](u32, ocrEdtDep_t*) {
          EXPECT_EQ(ocrAddDependence(event, counting_edt(ran, 2 * k_events, value), 0, DB_MODE_RO), 0);
        });
      }
    }
  });
  EXPECT_EQ(ran, 2 * k_events);
}

} // namespace treadle::ocr::testing
