#include "compat/ocr/command_line.hpp"

#include "compat/ocr/api.hpp"

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace treadle::ocr {

runtime_options take_options(int& argc, char** argv) {
  int kept = argc > 0 ? 1 : 0;
  for (int i = kept; i < argc; ++i) {
    if (std::strcmp(argv[i], "-ocr:cfg") == 0) {
      ++i; // no configuration is needed: Treadle's own options say how many workers there are
    } else if (std::strcmp(argv[i], "-ocr:version") == 0) {
      std::fprintf(stderr, "OCR %s on Treadle\n", OCR_VERSION);
      std::exit(0);
    } else if (std::strcmp(argv[i], "-ocr:help") == 0) {
      std::fprintf(
          stderr,
          "Options of OCR programs: -ocr:cfg FILE (not read), -ocr:version, -ocr:help, and those of Treadle, for "
          "instance --treadle:workers=N. TREADLE_OCR_CHECK=1 reports errors and leaks.\n");
      std::exit(0);
    } else {
      argv[kept++] = argv[i];
    }
  }
  argc = kept;
  return runtime_options::from_arguments(argc, argv);
}

} // namespace treadle::ocr
