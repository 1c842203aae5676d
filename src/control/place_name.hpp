#pragma once

#include <string>

namespace treadle::detail {

/// The name of a place in the code that is used for the first time. The compiler calls two lambdas of one function
/// alike, as it does all functions of one type: the second place of a name is "name #2".
std::string place_name(std::string name);

} // namespace treadle::detail
