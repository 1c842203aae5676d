// A C program passes its bool as any byte, which C++ would not take for one: here it is declared as a number.

#include <cstdint>
#include <cstdio>
#include <cstdlib>

extern "C" void _ocrAssert(std::uint8_t ok, const char* text, const char* file, std::uint32_t line);

void _ocrAssert(std::uint8_t ok, const char* text, const char* file, std::uint32_t line) {
  if (ok != 0) return;
  std::fflush(stdout);
  std::fprintf(stderr, "ASSERT: %s @ %s:%u\n", text, file, line);
  std::abort();
}
