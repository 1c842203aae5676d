// libFuzzer entry point: message_fuzzer tests/fuzz/messages
#include "message_target.hpp"

#include <cstddef>
#include <cstdint>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  treadle::fuzz::try_message({reinterpret_cast<const char*>(data), size});
  return 0;
}
