#pragma once

#include "compat/ocr/api.hpp"

#include <cstddef>

namespace treadle::ocr {

/// Bytes of a value.
inline std::size_t datum_bytes(redOp_t op) noexcept { return ((op >> REDOP_EIDX(DATUM_SIZE)) & 7U) + 1; }
/// There are such values, and the operation has a meaning for them.
bool is_reduction(redOp_t op) noexcept;
/// result[i] = result[i] op other[i]; neither need be aligned.
void combine(redOp_t op, std::byte* result, const std::byte* other, std::size_t values) noexcept;

} // namespace treadle::ocr
