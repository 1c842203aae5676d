#pragma once

#include "compat/ocr/guid.hpp"

#include <cstdint>
#include <source_location>
#include <string>
#include <vector>

namespace treadle::ocr {

/// What is wrong, for a message: the call, the code, and what in words.
struct complaint {
  const char* call;
  std::uint8_t code;
  const char* what;
};

/// A code that the call returns, which is remembered while the checker is on. Returns it.
std::uint8_t refuse(const complaint& about, std::uint64_t target,
                    std::source_location here = std::source_location::current()) noexcept;
inline std::uint8_t refuse(const complaint& about, ocrGuid_t target,
                           std::source_location here = std::source_location::current()) noexcept {
  return refuse(about, word_of(target), here);
}

/// An error that no call can return: with the checker it is remembered, otherwise printed to stderr, the first few
/// times. `edt`: the one it belongs to; 0: the one that runs. Returns the code.
std::uint8_t report(const complaint& about, std::uint64_t target, std::uint64_t edt = 0,
                    std::source_location here = std::source_location::current()) noexcept;

/// Of the checker alone: what is no error of a call.
void note(const std::string& line) noexcept;

/// What was remembered of this program, and forgets it.
std::vector<std::string> take_reports();

/// "0x12" and, where something is known of it, "0x12 (EDT name)".
std::string text_of(std::uint64_t guid);
/// "OCR_EPERM"
const char* error_name(std::uint8_t code) noexcept;
/// The name of an EDT's function: that of its template, or the symbol, or its address.
std::string function_name(ocrEdt_t function, const char* name);

} // namespace treadle::ocr
