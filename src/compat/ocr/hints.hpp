#pragma once

#include "compat/ocr/guid.hpp"

namespace treadle::ocr {

/// To a new object: those of its template, if it has one, and those that it is given. `hint` may be null.
void give_hints(place& at, const reference& of_template, const ocrHint_t* hint);
void give_hints(place& at, const ocrHint_t* hint);
/// 0 where it is not set.
std::uint64_t hint_value(const place& at, ocrHintProp_t property) noexcept;

} // namespace treadle::ocr
