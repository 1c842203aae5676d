#pragma once

#include "compat/ocr/guid.hpp"

namespace treadle::ocr {

/// Waits until `event`, which stays when it is satisfied, was satisfied, and sets what with. The calling thread sleeps;
/// a task suspends. Returns an OCR code: OCR_EINVAL when there is no such event, OCR_ECANCELED when the program ends.
std::uint8_t wait_for_event(std::uint64_t event, std::uint64_t& db);

/// Who waits there has what it waits for.
void wake(const reference& waiting, std::uint64_t db) noexcept;
/// Who waits learns that the program ends.
void wake_all_waiting() noexcept;

} // namespace treadle::ocr
