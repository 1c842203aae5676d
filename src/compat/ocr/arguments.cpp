#include "compat/ocr/arguments.hpp"

#include "compat/ocr/block.hpp"
#include "compat/ocr/report.hpp"

#include <cstring>

namespace treadle::ocr {

reference pack_arguments(int argc, const char* const* argv) {
  const auto count = static_cast<std::uint64_t>(argc);
  std::uint64_t bytes = (1 + count) * sizeof(std::uint64_t);
  for (std::uint64_t i = 0; i < count; ++i) bytes += std::strlen(argv[i]) + 1;
  const reference made = make_block(bytes, DB_PROP_NO_ACQUIRE, nullptr, nullptr, true);
  std::byte* const data = made.at->as<block>().data;
  std::memcpy(data, &count, sizeof count);
  std::uint64_t offset = (1 + count) * sizeof(std::uint64_t);
  for (std::uint64_t i = 0; i < count; ++i) {
    std::memcpy(data + (1 + i) * sizeof(std::uint64_t), &offset, sizeof offset);
    const std::size_t length = std::strlen(argv[i]) + 1;
    std::memcpy(data + offset, argv[i], length);
    offset += length;
  }
  return made;
}

} // namespace treadle::ocr

using namespace treadle::ocr;

u64 ocrGetArgc(void* db) {
  u64 argc = 0;
  std::memcpy(&argc, db, sizeof argc);
  return argc;
}
char* ocrGetArgv(void* db, u64 i) {
  if (i >= ocrGetArgc(db)) {
    report({"ocrGetArgv", OCR_EINVAL, "there is no such argument"}, 0);
    return nullptr;
  }
  u64 offset = 0;
  std::memcpy(&offset, static_cast<const std::byte*>(db) + (1 + i) * sizeof offset, sizeof offset);
  return static_cast<char*>(db) + offset;
}
u64 getArgc(void* db) { return ocrGetArgc(db); }
char* getArgv(void* db, u64 i) { return ocrGetArgv(db, i); }
