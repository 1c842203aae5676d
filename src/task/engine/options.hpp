#pragma once

#include <treadle/runtime.hpp>

namespace treadle::detail {

/// The options with every zero but that of `workers` replaced: by the environment, else by the default. Throws
/// std::invalid_argument for values that cannot be used, naming the variable.
runtime_options resolve(runtime_options options);
/// For what is decided outside of runtimes: where the user wants an explanation, and there was no runtime to give it,
/// the process does so at its end.
void explain_without_runtime();

} // namespace treadle::detail
