// The main() of programs that have a mainEdt(): nothing else is in this file, so that a program with its own main()
// does not get it.

#include "compat/ocr/command_line.hpp"
#include "compat/ocr/program.hpp"

#include <treadle/runtime.hpp>

#include <cstdio>
#include <exception>

extern "C" ocrGuid_t mainEdt(u32 paramc, u64* paramv, u32 depc, ocrEdtDep_t depv[]);

int main(int argc, char** argv) {
  try {
    treadle::runtime runtime(treadle::ocr::take_options(argc, argv));
    return treadle::ocr::run(mainEdt, argc, argv, {.prints_reports = true}).code;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", argc > 0 ? argv[0] : "OCR", error.what());
    return 1;
  }
}
