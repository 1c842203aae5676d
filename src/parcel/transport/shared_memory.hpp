// Processes of one machine: a file that all of them map. docs/design/parcels.md
#pragma once

#include "parcel/transport/transport.hpp"

#include <memory>
#include <string>

namespace treadle::detail {

/// Which part of which program this process is, as who started it says: TREADLE_LOCALITIES=FILE:RANK:SIZE.
struct shared_memory_place {
  std::string file;
  unsigned rank = 0, size = 1;
};
/// Throws std::invalid_argument, which says what is expected.
shared_memory_place parse_shared_memory_place(const std::string& text);

/// Maps the file, which may be empty. Throws std::system_error that names it.
std::unique_ptr<transport> open_shared_memory(const shared_memory_place& place);

} // namespace treadle::detail
