#include "papi/libpapi.hpp"

#include <treadle/observe/counters.hpp>
#include <treadle/treadle.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>
#include <string>

namespace {

using treadle::counters::counter;

std::string problem_of(const char* name) {
  try {
    static_cast<void>(counter(name).value());
  } catch (const std::runtime_error& e) {
    return e.what();
  }
  return "no problem";
}

TEST(papi_counters, count_from_when_they_are_asked_for) {
  const treadle::runtime runtime({.workers = 2});
  const counter total("/papi/PAPI_TOT_INS"), one("/papi{locality#0/worker-thread#1}/PAPI_TOT_INS");
  EXPECT_EQ(total.value(), 0);
  fake_papi::count(5);
  EXPECT_EQ(total.value(), 10);
  EXPECT_EQ(one.value(), 5);
}

TEST(papi_counters, an_event_more_does_not_disturb_the_others) {
  const treadle::runtime runtime({.workers = 2});
  const counter instructions("/papi/PAPI_TOT_INS");
  fake_papi::count(5);
  counter cycles("/papi/event@PAPI_TOT_CYC");
  fake_papi::count(2);
  EXPECT_EQ(instructions.value(), 14);
  EXPECT_EQ(cycles.value(), 4);
  cycles.reset();
  fake_papi::count(1);
  EXPECT_EQ(instructions.value(), 16);
  EXPECT_EQ(cycles.value(), 2);
}

TEST(papi_counters, one_that_cannot_be_added_does_not_disturb_the_others) {
  const treadle::runtime runtime({.workers = 2});
  const counter instructions("/papi/PAPI_TOT_INS");
  fake_papi::count(3);
  for (const std::string name : {"/papi/PAPI_L3_TCM", "/papi/PAPI_L2_TCM"}) {
    EXPECT_EQ(problem_of(name.c_str()), "counter '" + name + "': not available here: PAPI_add_event: fake error");
  }
  fake_papi::count(1);
  EXPECT_EQ(instructions.value(), 8);
}

TEST(papi_counters, start_again_with_the_runtime) {
  for (unsigned workers = 1; workers <= 3; ++workers) {
    const treadle::runtime runtime({.workers = workers});
    const counter instructions("/papi/PAPI_TOT_INS");
    EXPECT_EQ(instructions.value(), 0);
    EXPECT_EQ(fake_papi::sets_alive(), workers);
    fake_papi::count(1);
    EXPECT_EQ(instructions.value(), workers);
  }
}

TEST(papi_counters, patterns_match_those_that_exist_and_only_by_name) {
  const treadle::runtime runtime({.workers = 1});
  const auto count = [](const char* pattern) { return treadle::counters::discover(pattern).size(); };
  EXPECT_EQ(count("/papi/PAPI_TOT_*"), 2U);
  EXPECT_EQ(count("/papi/PAPI_L1_*"), 0U);
  EXPECT_EQ(count("/papi/PAPI_BR_MSP"), 0U); // which is known, and a virtual machine does not show
  EXPECT_EQ(count("/pap*/*"), 0U);
}

TEST(papi_counters, say_why_they_are_not_there) {
  {
    const treadle::runtime ended({.workers = 1});
  }
  EXPECT_EQ(problem_of("/papi/PAPI_TOT_INS"),
            "counter '/papi/PAPI_TOT_INS': not available here: no runtime is running");
  const treadle::runtime runtime({.workers = 1});
  EXPECT_EQ(problem_of("/papi/event@gpu::WARPS"), "counter '/papi/event': not available here: gpu: there is none");
  EXPECT_EQ(problem_of("/papi/event@rapl::JOULES"),
            "counter '/papi/event': not available here: PAPI_attach: fake error");
  EXPECT_EQ(problem_of("/papi/event@nothing"), "counter '/papi/event': not available here: nothing: fake error");
  EXPECT_EQ(problem_of("/papi/event"), "counter '/papi/event': its event is missing, after an @");
  const auto readings = treadle::counters::group({"/papi/PAPI_L1_DCM"}).read();
  EXPECT_TRUE(std::isnan(readings.front().value));
  EXPECT_EQ(readings.front().missing, "counter '/papi/PAPI_L1_DCM': not available here: PAPI_L1_DCM: fake error");
}

} // namespace
