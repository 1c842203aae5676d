// What the checker says about programs that break rules U1 to U22 of the fact sheet, and that they break nothing else.

#include "compat/ocr/ocr_fixture.hpp"

namespace treadle::ocr::testing {

class ocr_checker : public ocr_test {
 protected:
  template <class F>
  std::vector<std::string> reports_of(F main) {
    return run_main(std::move(main), true).reports;
  }
};
OCR_WITH_WORKERS(ocr_checker);

#define EXPECT_REPORT(reports, what) EXPECT_TRUE(mentions(reports, what)) << ::testing::PrintToString(reports)

TEST_P(ocr_checker, a_clean_program_is_not_reported) {
  const auto reports = reports_of([](ocrEdtDep_t*) {
    const ocrGuid_t event = make(OCR_EVENT_ONCE_T, EVT_PROP_TAKES_ARG);
    const ocrGuid_t edt = spawn(
        [](u32, ocrEdtDep_t* depv) {
          EXPECT_EQ(ocrDbDestroy(depv[0].guid), 0);
          ocrShutdown();
        },
        {.depc = 1});
    EXPECT_EQ(ocrAddDependence(event, edt, 0, DB_MODE_EW), 0);
    EXPECT_EQ(ocrEventSatisfy(event, make_block_of(1)), 0);
  });
  EXPECT_TRUE(reports.empty()) << ::testing::PrintToString(reports);
}

TEST_P(ocr_checker, u1_an_edt_that_waits_keeps_no_worker_from_others) {
  const auto reports = reports_of([](ocrEdtDep_t*) {
    const ocrGuid_t event = make(OCR_EVENT_STICKY_T);
    // Waits for EDTs that are queued behind it, and for more of them than there are workers.
    for (int i = 0; i < 8; ++i) {
      spawn([event](u32, ocrEdtDep_t*) { EXPECT_FALSE(ocrGuidIsError(ocrWait(event))); });
    }
    spawn([event](u32, ocrEdtDep_t*) {
      EXPECT_EQ(ocrEventSatisfy(event, NULL_GUID), 0);
      EXPECT_FALSE(ocrGuidIsError(ocrWait(event)));
      ocrShutdown();
    });
  });
  EXPECT_FALSE(mentions(reports, "ocrWait")) << ::testing::PrintToString(reports);
}

TEST_P(ocr_checker, u2_a_block_of_no_slot_is_written_to) {
  static u64* foreign; // how programs come to break the rule: by addresses that survive the EDT
  for (const bool is_read_again : {false, true}) { // told when it is acquired again, or at the end
    EXPECT_REPORT(reports_of([is_read_again](ocrEdtDep_t*) {
                    ocrGuid_t db = NULL_GUID;
                    void* memory = nullptr;
                    EXPECT_EQ(ocrDbCreate(&db, &memory, 64, DB_PROP_NONE, NULL_HINT, NO_ALLOC), 0);
                    foreign = static_cast<u64*>(memory);
                    *foreign = 1;
                    EXPECT_EQ(ocrDbRelease(db), 0);
                    ++*foreign;
                    if (!is_read_again) return ocrShutdown();
                    const ocrGuid_t reader = spawn([](u32, ocrEdtDep_t*) { ocrShutdown(); }, {.depc = 1});
                    EXPECT_EQ(ocrAddDependence(db, reader, 0, DB_MODE_RO), 0);
                  }),
                  "a block of 64 bytes was written to while no EDT had it for writing");
  }
}

TEST_P(ocr_checker, u2_who_writes_with_the_right_to_is_not_reported) {
  const auto reports = reports_of([](ocrEdtDep_t*) {
    static std::atomic<int> left;
    left = 12;
    const ocrGuid_t db = make_block_of(1);
    for (int i = 0; i < 12; ++i) { // writers, alone and together, and readers beside them
      const ocrDbAccessMode_t mode = i % 3 == 0 ? DB_MODE_EW : i % 3 == 1 ? DB_MODE_RW : DB_MODE_RO;
      const ocrGuid_t edt = spawn(
          [mode, db](u32, ocrEdtDep_t* depv) {
            if (mode == DB_MODE_EW) ++*static_cast<u64*>(depv[0].ptr);
            if (mode == DB_MODE_RW) std::atomic_ref(static_cast<u64*>(depv[0].ptr)[0]).fetch_add(1);
            if (--left == 0) {
              EXPECT_EQ(ocrDbDestroy(db), 0);
              ocrShutdown();
            }
          },
          {.depc = 1});
      EXPECT_EQ(ocrAddDependence(db, edt, 0, mode), 0);
    }
  });
  EXPECT_TRUE(reports.empty()) << ::testing::PrintToString(reports);
}

TEST_P(ocr_checker, u3_a_block_is_passed_on_before_it_is_released) {
  EXPECT_REPORT(reports_of([](ocrEdtDep_t*) {
                  const ocrGuid_t event = make(OCR_EVENT_STICKY_T, EVT_PROP_TAKES_ARG);
                  ocrGuid_t db = NULL_GUID;
                  void* memory = nullptr;
                  EXPECT_EQ(ocrDbCreate(&db, &memory, 8, DB_PROP_NONE, NULL_HINT, NO_ALLOC), 0);
                  EXPECT_EQ(ocrEventSatisfy(event, db), 0);
                  ocrShutdown();
                }),
                "before it is released");
}

TEST_P(ocr_checker, u4_a_block_is_released_twice) {
  EXPECT_REPORT(reports_of([](ocrEdtDep_t*) {
                  EXPECT_EQ(ocrDbRelease(make_block_of(1)), OCR_EACCES);
                  ocrShutdown();
                }),
                "ocrDbRelease: OCR_EACCES");
}

TEST_P(ocr_checker, u5_one_block_in_two_modes) {
  EXPECT_REPORT(reports_of([](ocrEdtDep_t*) {
                  const ocrGuid_t db = make_block_of(1),
                                  edt = spawn([](u32, ocrEdtDep_t*) { ocrShutdown(); }, {.depc = 2});
                  EXPECT_EQ(ocrAddDependence(db, edt, 0, DB_MODE_RO), 0);
                  EXPECT_EQ(ocrAddDependence(db, edt, 1, DB_MODE_EW), 0);
                }),
                "in different modes");
}

TEST_P(ocr_checker, u6_a_block_for_reading_is_written_to) {
  for (const ocrDbAccessMode_t mode : {DB_MODE_RO, DB_MODE_CONST}) {
    EXPECT_REPORT(reports_of([mode](ocrEdtDep_t*) {
                    const ocrGuid_t edt = spawn(
                        [](u32, ocrEdtDep_t* depv) {
                          ++*static_cast<u64*>(depv[0].ptr);
                          ocrShutdown();
                        },
                        {.depc = 1});
                    EXPECT_EQ(ocrAddDependence(make_block_of(1), edt, 0, mode), 0);
                  }),
                  "EDT test, slot 0");
  }
}

TEST_P(ocr_checker, u7_u9_a_once_event_is_used_after_its_satisfaction) {
  EXPECT_REPORT(reports_of([](ocrEdtDep_t*) {
                  const ocrGuid_t event = make(OCR_EVENT_ONCE_T);
                  EXPECT_EQ(ocrEventSatisfy(event, NULL_GUID), 0);
                  EXPECT_EQ(ocrAddDependence(event, spawn([](u32, ocrEdtDep_t*) {}, {.depc = 1}), 0, DB_MODE_RO),
                            OCR_EINVAL);
                  ocrShutdown();
                }),
                "(a former event)");
}

TEST_P(ocr_checker, u8_a_sticky_event_is_satisfied_twice) {
  EXPECT_REPORT(reports_of([](ocrEdtDep_t*) {
                  const ocrGuid_t event = make(OCR_EVENT_STICKY_T);
                  EXPECT_EQ(ocrEventSatisfy(event, NULL_GUID), 0);
                  EXPECT_EQ(ocrEventSatisfy(event, NULL_GUID), OCR_EPERM);
                  ocrShutdown();
                }),
                "ocrEventSatisfy: OCR_EPERM (1)");
}

TEST_P(ocr_checker, u9_u10_destroyed_blocks_are_used) {
  const auto reports = reports_of([](ocrEdtDep_t*) {
    const ocrGuid_t db = make_block_of(1), edt = spawn(
                                               [](u32, ocrEdtDep_t* depv) {
                                                 EXPECT_EQ(depv[0].ptr, nullptr);
                                                 ocrShutdown();
                                               },
                                               {.depc = 2});
    EXPECT_EQ(ocrAddDependence(db, edt, 0, DB_MODE_RO), 0);
    EXPECT_EQ(ocrDbDestroy(db), 0);
    EXPECT_EQ(ocrDbDestroy(db), OCR_EPERM);
    EXPECT_EQ(ocrAddDependence(NULL_GUID, edt, 1, DB_MODE_RO), 0);
  });
  EXPECT_REPORT(reports, "none any more");
  EXPECT_REPORT(reports, "ocrDbDestroy: OCR_EPERM");
}

TEST_P(ocr_checker, u13_shutdown_is_called_twice) {
  EXPECT_REPORT(reports_of([](ocrEdtDep_t*) {
                  ocrShutdown();
                  ocrShutdown();
                }),
                "called a second time");
}

TEST_P(ocr_checker, u14_an_edt_returns_what_is_no_block) {
  EXPECT_REPORT(
      reports_of([](ocrEdtDep_t*) {
        ocrGuid_t output = NULL_GUID;
        const ocrGuid_t edt = spawn([](u32, ocrEdtDep_t*) { return ERROR_GUID; }, {.depc = 1, .output = &output});
        EXPECT_EQ(ocrAddDependence(output, spawn([](u32, ocrEdtDep_t*) { ocrShutdown(); }, {.depc = 1}), 0, DB_MODE_RO),
                  0);
        EXPECT_EQ(ocrAddDependence(NULL_GUID, edt, 0, DB_MODE_RO), 0);
      }),
      "returns something that is no block");
}

TEST_P(ocr_checker, u15_an_edt_that_runs_is_not_destroyed) {
  run_main([](ocrEdtDep_t*) {
    static ocrGuid_t own;
    spawn([](u32, ocrEdtDep_t*) {
      EXPECT_EQ(ocrCurrentEdtGet(&own), 0);
      EXPECT_EQ(ocrEdtDestroy(own), OCR_EPERM);
      ocrShutdown();
    });
  });
}

TEST_P(ocr_checker, u17_an_event_that_is_waited_for_is_destroyed) {
  EXPECT_REPORT(reports_of([](ocrEdtDep_t*) {
                  const ocrGuid_t event = make(OCR_EVENT_STICKY_T);
                  EXPECT_EQ(ocrAddDependence(event, spawn([](u32, ocrEdtDep_t*) {}, {.depc = 1}), 0, DB_MODE_RO), 0);
                  EXPECT_EQ(ocrEventDestroy(event), 0);
                  ocrShutdown();
                }),
                "or that is waited for");
}

TEST_P(ocr_checker, u21_a_wait_for_an_event_that_goes_when_it_is_satisfied) {
  const auto reports = reports_of([](ocrEdtDep_t*) {
    const ocrGuid_t once = make(OCR_EVENT_ONCE_T), latch = make(OCR_EVENT_LATCH_T);
    EXPECT_TRUE(ocrGuidIsError(ocrWait(once)));
    EXPECT_TRUE(ocrGuidIsError(ocrWait(latch)));
    EXPECT_EQ(ocrLegacyBlockProgress(once, nullptr, nullptr, nullptr, LEGACY_PROP_NONE), OCR_EINVAL);
    ocrShutdown();
  });
  EXPECT_REPORT(reports, "no event, or one that goes when it is satisfied");
}

TEST_P(ocr_checker, u21_hints_that_are_set_at_the_same_time_are_set_whole) {
  // Against the rule, and harmless: which hint wins is open, but each is one of those that were given.
  run_main([](ocrEdtDep_t*) {
    static std::atomic<int> left;
    left = 16;
    const ocrGuid_t db = make_block_of(1);
    for (u64 i = 1; i <= 16; ++i) {
      spawn([i, db](u32, ocrEdtDep_t*) {
        ocrHint_t hint{};
        EXPECT_EQ(ocrHintInit(&hint, OCR_HINT_DB_T), 0);
        for (const ocrHintProp_t each : {OCR_HINT_DB_NEAR, OCR_HINT_DB_INTER}) {
          EXPECT_EQ(ocrSetHintValue(&hint, each, i), 0);
        }
        EXPECT_EQ(ocrSetHint(db, &hint), 0);
        if (--left != 0) return;
        ocrHint_t seen{};
        EXPECT_EQ(ocrHintInit(&seen, OCR_HINT_DB_T), 0);
        EXPECT_EQ(ocrGetHint(db, &seen), 0);
        u64 near = 0, inter = 1;
        EXPECT_EQ(ocrGetHintValue(&seen, OCR_HINT_DB_NEAR, &near), 0);
        EXPECT_EQ(ocrGetHintValue(&seen, OCR_HINT_DB_INTER, &inter), 0);
        EXPECT_EQ(near, inter);
        EXPECT_TRUE(near >= 1 && near <= 16) << near;
        ocrShutdown();
      });
    }
  });
}

TEST_P(ocr_checker, u22_guids_are_told_apart_and_printed) {
  run_main([](ocrEdtDep_t*) {
    const ocrGuid_t a = make_block_of(1), b = make_block_of(1);
    EXPECT_TRUE(ocrGuidIsEq(a, a));
    EXPECT_FALSE(ocrGuidIsEq(a, b));
    EXPECT_NE(ocrGuidIsLt(a, b), ocrGuidIsLt(b, a)); // an order, whichever
    EXPECT_FALSE(ocrGuidIsLt(a, a));
    EXPECT_FALSE(ocrGuidIsNull(a) || ocrGuidIsError(a) || ocrGuidIsUninitialized(a));
    const auto text_of = [](ocrGuid_t guid) {
      char text[64];
      EXPECT_GT(SNPRINTF(text, sizeof text, "<" GUIDF ">", GUIDA(guid)), 2U);
      return std::string(text);
    };
    EXPECT_EQ(text_of(a), text_of(a));
    EXPECT_NE(text_of(a), text_of(b));
    ocrShutdown();
  });
}

TEST_P(ocr_checker, leftovers_and_edts_that_never_became_ready) {
  const auto reports = reports_of([](ocrEdtDep_t*) {
    make_block_of(1);
    make(OCR_EVENT_STICKY_T);
    const ocrGuid_t edt = spawn([](u32, ocrEdtDep_t*) {}, {.depc = 4});
    EXPECT_EQ(ocrAddDependence(NULL_GUID, edt, 2, DB_MODE_RO), 0);
    EXPECT_EQ(ocrAddDependence(make(OCR_EVENT_ONCE_T), edt, 1, DB_MODE_RO), 0);
    ocrShutdown();
  });
  EXPECT_REPORT(reports, "8 bytes, not destroyed");
  EXPECT_REPORT(reports, "(sticky event): never satisfied");
  EXPECT_REPORT(reports, "(once event): never satisfied, and waited for");
  EXPECT_REPORT(reports, "(EDT test): it never became ready; not satisfied: slot 0, 1, 3");
}

TEST_P(ocr_checker, immediate_errors_outside_of_edts) {
  EXPECT_EQ(ocrDbRelease(ERROR_GUID), OCR_EINVAL);
  EXPECT_EQ(ocrEventSatisfy(guid_of(12345), NULL_GUID), OCR_EINVAL);
}

} // namespace treadle::ocr::testing
