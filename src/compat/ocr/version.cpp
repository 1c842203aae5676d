#include "compat/ocr/api.hpp"

#include <cstdlib>

namespace {

/// The n-th number of "1.2.3"; 0 where there is none.
u32 part(const u8* version, int n) {
  const char* text = reinterpret_cast<const char*>(version);
  char* end = nullptr;
  for (;; text = end + 1, --n) {
    if (!text) return 0;
    const unsigned long value = std::strtoul(text, &end, 10);
    if (n == 0) return static_cast<u32>(value);
    if (*end != '.') return 0;
  }
}

} // namespace

u32 ocrVersionExtractMajor(u8* version) { return part(version, 0); }
u32 ocrVersionExtractMinor(u8* version) { return part(version, 1); }
u32 ocrVersionExtractPatch(u8* version) { return part(version, 2); }

u64 ocrVersionExtensionBitmap() {
  return OCR_VERSION_LEGACY_BIT | OCR_VERSION_AFFINITY_BIT | OCR_VERSION_PARAMS_EVT_BIT | OCR_VERSION_COUNTED_EVT_BIT |
         OCR_VERSION_RTITF_BIT | OCR_VERSION_PAUSE_BIT | OCR_VERSION_LABELING_BIT;
}
