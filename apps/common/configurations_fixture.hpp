#pragma once

#include "common/configuration.hpp"
#include "common/program_fixture.hpp"

#include <gtest/gtest.h>

#include <string>

namespace apps {

/// Calls check(how) for every configuration and number of workers that go together, while a runtime of that
/// configuration exists. Checks that nothing hangs afterwards, and that no task is left.
void with_configurations(const auto& numbers_of_workers, const auto& check) {
  for (const configuration& how : configurations()) {
    for (const unsigned workers : numbers_of_workers) {
      if (how.is_split && workers == 1) continue;
      SCOPED_TRACE(testing::Message() << how.name << ", " << workers << " workers");
      treadle::runtime_options options;
      apply(how, {workers, 0}, options);
      treadle::runtime runtime(options);
      check(how);
      runtime.wait_idle();
    }
  }
}

/// All that a guide shows of a program works, and is verified where it says so.
inline void expect_examples(const std::string& program, const std::string& name, const std::string& guide) {
  const auto shown = examples(guide, name);
  EXPECT_GE(shown.size(), 2U);
  for (const std::string& one : shown)
    expect_run(program, one, 0, one.find("--check") != std::string::npos ? "verified: " : "");
}

/// With the configuration `auto`, for a problem of that size.
inline void expect_found_pools(const std::string& program, const std::string& size) {
  const std::string arguments = size + " --workers 4 --configuration auto --repeat 60 --check";
  expect_run(program, arguments, 0, "pools: critical:");
  expect_run(program, arguments + " --json", 0, "\"pools\": \"critical:");
  expect_run(program, arguments + " --json --treadle:bind=scatter", 0, " scatter\", ");
  expect_run(program, "--workers 1 --configuration auto --repeat 3 --check", 0, "verified: ");
  expect_run(program, arguments + " --critical 4", 2, "'critical' cannot have 4 of 4 workers");
}

/// --help has an example, and names the configurations.
inline void expect_help(const std::string& program) {
  expect_run(program, "--help", 0, "Example");
  for (const configuration& how : configurations()) expect_run(program, "--help", 0, how.name);
}

} // namespace apps
