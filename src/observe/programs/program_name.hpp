#pragma once

#include <string>

namespace treadle::detail {

/// Of the executable, unless name_program() has given another one.
std::string name_of_program();
/// The same without the folder that a script's name has.
std::string short_name_of_program();

} // namespace treadle::detail
