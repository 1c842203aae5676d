// What every input of the PhySL fuzzer must satisfy. Shared by the fuzzer and the test that replays its corpus.
#pragma once

#include <string_view>

namespace treadle::fuzz {

// Lexes, parses, prints, parses again and compiles. Text that is refused must be refused with a place inside it and a
// message; what is accepted must print as text that gives the same tree. Aborts otherwise.
void try_physl(std::string_view text);

} // namespace treadle::fuzz
