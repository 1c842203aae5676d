#pragma once

#include <treadle/runtime.hpp>

namespace treadle::detail {

/// The options with every zero replaced: by the environment, else by the default. Throws std::invalid_argument for
/// values that cannot be used, naming the variable.
runtime_options resolve(runtime_options options);

} // namespace treadle::detail
