#pragma once

#include <treadle/runtime.hpp>

#include <vector>

namespace treadle::detail {

/// The options with every zero but that of `workers` replaced: by the environment, else by the default. Throws
/// std::invalid_argument for values that cannot be used, naming the variable.
runtime_options resolve(runtime_options options);
/// For what is decided outside of runtimes: where the user wants an explanation, and there was no runtime to give it,
/// the process does so at its end.
void explain_without_runtime();

struct pool_options {
  std::string name;
  unsigned workers;
};
/// The pools that runtime_options::pools names, after the default one. Throws std::invalid_argument.
std::vector<pool_options> all_pools(const runtime_options& resolved);

} // namespace treadle::detail
