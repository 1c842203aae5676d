#pragma once

#include <treadle/runtime.hpp>

#include <gtest/gtest.h>

#include <memory>

namespace treadle::testing {

/// A runtime with the number of workers that the parameter says, and the promise that nothing is left behind in it. The
/// counts are larger than the machine on purpose: preempted workers are the hard case.
class on_workers : public ::testing::TestWithParam<unsigned> {
 protected:
  void SetUp() override { rt = std::make_unique<runtime>(runtime_options{.workers = GetParam()}); }
  void TearDown() override {
    rt->wait_idle();
    rt.reset();
  }

  std::unique_ptr<runtime> rt;
};

#define TREADLE_ON_WORKERS(fixture)                                                                                    \
  INSTANTIATE_TEST_SUITE_P(Workers, fixture, ::testing::Values(1u, 2u, 4u, 8u),                                        \
                           [](const auto& workers) { return "w" + std::to_string(workers.param); })

} // namespace treadle::testing
