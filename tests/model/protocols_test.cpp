#include "model/protocols.hpp"

#include <gtest/gtest.h>

#include <cstdio>

namespace treadle::check {

std::vector<scenario> all_scenarios() {
  std::vector<scenario> all;
  for (auto part : {queue_scenarios, future_scenarios, limited_wait_scenarios, when_scenarios, notification_scenarios,
                    group_scenarios, use_scenarios, ocr_scenarios, parcel_scenarios, ring_scenarios, deque_scenarios,
                    drain_scenarios, idle_workers_scenarios, slots_scenarios, loans_scenarios}) {
    for (scenario& s : part()) all.push_back(std::move(s));
  }
  return all;
}

namespace {

class protocols : public testing::TestWithParam<scenario> {};

TEST_P(protocols, hold) {
  const scenario& s = GetParam();
  const result r = explore(s.name, s.program, s.most);
  std::printf("%s: %llu executions%s\n", s.name, static_cast<unsigned long long>(r.executions),
              r.complete ? ", everything within the bound" : ", cut off");
  EXPECT_FALSE(r.failure) << r.report;
}

INSTANTIATE_TEST_SUITE_P(all, protocols, testing::ValuesIn(all_scenarios()),
                         [](const auto& tested) { return std::string(tested.param.name); });

} // namespace

void PrintTo(const scenario& s, std::ostream* out) { *out << s.name; }

} // namespace treadle::check
