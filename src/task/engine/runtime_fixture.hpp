#pragma once

#include <treadle/async.hpp>
#include <treadle/parallel_invoke.hpp>
#include <treadle/runtime.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <memory>

namespace treadle::testing {

inline void spin_for(std::chrono::nanoseconds time) {
  for (const auto end = std::chrono::steady_clock::now() + time; std::chrono::steady_clock::now() < end;) {
  }
}

/// By a future for one of the two calls.
inline int fib(int n) {
  if (n < 2) return n;
  auto left = async(fib, n - 1);
  const int right = fib(n - 2);
  return left.get() + right;
}
/// By a latent fork.
inline int forked_fib(int n) {
  if (n < 2) return n;
  const auto [left, right] = parallel_invoke([=] { return forked_fib(n - 1); }, [=] { return forked_fib(n - 2); });
  return left + right;
}

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
