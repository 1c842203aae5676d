#pragma once

#include <treadle/runtime.hpp>

namespace treadle::ocr {

/// Takes the options of OCR and of Treadle out of the arguments. Prints and exits for -ocr:help and -ocr:version.
/// Throws std::invalid_argument for an option of Treadle's that is unusable.
runtime_options take_options(int& argc, char** argv);

} // namespace treadle::ocr
