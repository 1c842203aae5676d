#pragma once

#include "compat/ocr/guid.hpp"

namespace treadle::ocr {

/// The block that mainEdt gets: u64 argc, argc offsets of the strings from the beginning of the block, the strings.
reference pack_arguments(int argc, const char* const* argv);

} // namespace treadle::ocr
