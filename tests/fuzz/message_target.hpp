// What every text must satisfy that somebody sends to an agent or to a program. Shared by the fuzzer and the test that
// replays its corpus.
#pragma once

#include <string_view>

namespace treadle::fuzz {

// Text that is no message is refused by std::invalid_argument that says why; a message is written as text that reads
// back as the same one. Aborts otherwise.
void try_message(std::string_view text);

} // namespace treadle::fuzz
