#include "compat/ocr/api.hpp"

#include <cstdarg>
#include <cstdio>
#include <string>

namespace {

/// In one piece, so that lines of EDTs that run at the same time do not mix.
u32 print(const std::string& prefix, const char* format, std::va_list arguments) {
  std::va_list again;
  va_copy(again, arguments);
  const int length = std::vsnprintf(nullptr, 0, format, arguments);
  std::string text = prefix;
  if (length > 0) {
    text.resize(prefix.size() + static_cast<std::size_t>(length) + 1);
    std::vsnprintf(text.data() + prefix.size(), static_cast<std::size_t>(length) + 1, format, again);
    text.pop_back();
  }
  va_end(again);
  return static_cast<u32>(std::fwrite(text.data(), 1, text.size(), stdout));
}

} // namespace

u32 ocrPrintf(const char* format, ...) {
  std::va_list arguments;
  va_start(arguments, format);
  const u32 bytes = print("", format, arguments);
  va_end(arguments);
  return bytes;
}

u32 PRINTF(const char* format, ...) {
  std::va_list arguments;
  va_start(arguments, format);
  const u32 bytes = print("", format, arguments);
  va_end(arguments);
  return bytes;
}

u32 SNPRINTF(char* text, u32 size, const char* format, ...) {
  std::va_list arguments;
  va_start(arguments, format);
  const int length = std::vsnprintf(text, size, format, arguments);
  va_end(arguments);
  if (length < 0 || size == 0) return 0;
  return static_cast<u32>(length) < size ? static_cast<u32>(length) : size - 1;
}

u32 treadleOcrVerify(u8 ok, const char* file, u32 line, const char* format, ...) {
  std::va_list arguments;
  va_start(arguments, format);
  const u32 bytes =
      print(std::string(ok != 0 ? "PASSED" : "FAILURE") + " @ '" + file + ":" + std::to_string(line) + "' ", format,
            arguments);
  va_end(arguments);
  return bytes;
}
