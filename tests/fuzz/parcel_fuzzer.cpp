// libFuzzer entry point: parcel_fuzzer tests/fuzz/parcels
#include "parcel_target.hpp"

#include <cstddef>
#include <cstdint>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  treadle::fuzz::try_parcel({reinterpret_cast<const char*>(data), size});
  return 0;
}
