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
