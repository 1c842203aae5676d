#pragma once

#include "common/arguments.hpp"

#include "ocr.h"

#include <optional>
#include <vector>

namespace apps {

/// What mainEdt() does with its block of arguments: body(argc, argv) as in run_program(), which returns nothing when it
/// has made EDTs that end the program.
template <class Body>
ocrGuid_t run_ocr_program(const char* name, void* arguments, Body body) {
  std::vector<char*> argv;
  for (u64 i = 0; i < ocrGetArgc(arguments); ++i) argv.push_back(ocrGetArgv(arguments, i));
  argv.push_back(nullptr);
  bool is_running = false;
  const int code = run_program(name, static_cast<int>(argv.size()) - 1, argv.data(), [&](int argc, char** values) {
    const std::optional<int> said = body(argc, values);
    is_running = !said;
    return said.value_or(0);
  });
  if (!is_running) code == 0 ? ocrShutdown() : ocrAbort(static_cast<u8>(code));
  return NULL_GUID;
}

} // namespace apps
