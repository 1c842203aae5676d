#pragma once

#include <string>

namespace treadle::detail {

/// Of the executable, unless name_program() has given another one.
std::string name_of_program();
/// The same without the folder that a script's name has.
std::string short_name_of_program();
/// And with the number of the process in a program of several: "stencil L1".
std::string shown_name_of_program();

} // namespace treadle::detail
