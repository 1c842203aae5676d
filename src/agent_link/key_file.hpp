#pragma once

#include <string>
#include <utility>
#include <vector>

namespace treadle::detail {

/// The lines "NAME KEY" of a file that only its owner can read, in their order. Throws std::system_error when it cannot
/// be read or is open to others, std::invalid_argument for a key that has not the 40 characters of CURVE's.
std::vector<std::pair<std::string, std::string>> read_key_file(const std::string& file);

} // namespace treadle::detail
