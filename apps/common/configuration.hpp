#pragma once

#include "common/launcher.hpp"

#include <treadle/runtime.hpp>
#include <treadle/tune/pool_tuner.hpp>

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace apps {

/// How many workers there are in all, and how many of them are for critical tasks where these have a pool of their own.
struct pool_sizes {
  unsigned workers;
  unsigned critical;
};

/// A named way to run a program some of whose kernels are marked as critical: pools, mapping, and how tasks of marked
/// kernels and of others are launched. A row of the table in configuration.cpp.
struct configuration {
  const char* name;
  const char* about;
  bool is_split;                          ///< marked tasks have workers of their own
  std::string (*pools)(pool_sizes sizes); ///< as treadle::pools reads them
  const char* mapping;                    ///< as runtime_options::bind; "": the runtime's own
  launcher (*launcher_of)(bool marked);   ///< of a kernel; called while the runtime exists
  bool is_tuned = false; ///< sizes, number and mapping of pools, and their order, are found while the program repeats
};

/// All of them, `default` first.
std::span<const configuration> configurations() noexcept;
/// Throws std::invalid_argument that lists the names.
const configuration& find_configuration(std::string_view name);

/// What a configuration asks of the runtime. `sizes.workers` of 0 are as many as the runtime would have by default,
/// `sizes.critical` of 0 half of the workers. Throws std::invalid_argument when the pools cannot have that many
/// workers, or when `options` describe pools and the configuration does, too. Options that say where workers run stay.
void apply(const configuration& how, pool_sizes sizes, treadle::runtime_options& options);

/// What finds the pools of a configuration that is tuned, while its runtime exists; none where there is nothing to
/// find. It begins with one pool, unless `sizes.critical` says how many workers critical tasks have, and leaves the
/// mapping alone where the user has bound workers.
std::optional<treadle::pool_tuner> tuner_of(const configuration& how, pool_sizes sizes, treadle::runtime& runs);

} // namespace apps
