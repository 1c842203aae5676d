#pragma once

#include "model/check/explore.hpp"

#include <vector>

namespace treadle::check {

/// A small program around one protocol of the product, whose threads check the protocol's invariants.
struct scenario {
  const char* name;
  std::function<void()> program;
  limits most = {};
};

std::vector<scenario> deque_scenarios();
std::vector<scenario> idle_workers_scenarios();
std::vector<scenario> future_scenarios();
std::vector<scenario> limited_wait_scenarios();
std::vector<scenario> when_scenarios();
std::vector<scenario> notification_scenarios();
std::vector<scenario> queue_scenarios();
std::vector<scenario> group_scenarios();
std::vector<scenario> drain_scenarios();
std::vector<scenario> slots_scenarios();
std::vector<scenario> loans_scenarios();
std::vector<scenario> use_scenarios();
std::vector<scenario> ocr_scenarios();
std::vector<scenario> parcel_scenarios();
std::vector<scenario> ring_scenarios();

/// All of them, from the cheapest protocol to the dearest.
std::vector<scenario> all_scenarios();

} // namespace treadle::check
