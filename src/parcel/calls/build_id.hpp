#pragma once

#include <string>

namespace treadle::detail {

/// What the linker has written into the program or library that has this address: a digest of its contents, so that two
/// that differ in anything have different ones. Empty: it has written none.
std::string build_id_of(const void* address);

} // namespace treadle::detail
