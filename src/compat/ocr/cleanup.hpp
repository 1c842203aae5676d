#pragma once

namespace treadle::ocr {

/// Notes what the program has left behind: objects that it has not destroyed, EDTs that never became ready. `is_stuck`:
/// nobody has stopped it. At rest.
void note_leftovers(bool is_stuck);
/// Frees all objects. At rest, after stop().
void clean_up() noexcept;

} // namespace treadle::ocr
