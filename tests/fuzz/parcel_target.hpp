// What must hold whatever comes from another locality. Shared by the fuzzer and the test that replays its corpus.
#pragma once

#include <string_view>

namespace treadle::fuzz {

// Bytes are values of several types, or refused by archive_error; what was read is written as bytes that read back as
// the same. As pieces of messages they are put together, or damaged. Aborts otherwise.
void try_parcel(std::string_view bytes);

} // namespace treadle::fuzz
