// Calls that another locality computes, as bytes.
#pragma once

#include "tree/run/other_localities.hpp"

#include <atomic>
#include <cstddef>
#include <vector>

namespace treadle::distributed {

// value_error: an argument is a function.
std::vector<std::byte> written(const tree::placed_call& call);
// Computes it, whatever comes of it: the bytes of the result or of what has failed.
// `cancel`: as run_options has it.
std::vector<std::byte> computed(std::span<const std::byte> call, const std::atomic<bool>& cancel);
// A failure is as that locality had it, with its number.
tree::placed_result result_of(std::span<const std::byte> computed, unsigned at);

} // namespace treadle::distributed
