// libFuzzer entry point: physl_fuzzer tests/fuzz/corpus
#include "physl_target.hpp"

#include <cstddef>
#include <cstdint>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  treadle::fuzz::try_physl({reinterpret_cast<const char*>(data), size});
  return 0;
}
