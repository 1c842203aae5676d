#include "compat/ocr/extras.hpp"

#include "compat/ocr/labels.hpp"

#include <utility>

namespace treadle::ocr {

extras& extras_of(place& at) {
  if (!at.more) at.more = new extras;
  return *at.more;
}

void end_extras(extras* more) noexcept {
  if (TREADLE_LIKELY(!more)) return;
  if (more->label) free_label(*more->label);
  delete more;
}

void drop_label(place& at) noexcept {
  place* freed = nullptr;
  {
    const detail::scoped_lock guard(at.lock);
    if (at.more) freed = std::exchange(at.more->label, nullptr);
  }
  if (freed) free_label(*freed);
}

void end_place(place& at, ending how) noexcept {
  if ((at.word.load(detail::order::relaxed) & k_dead) == 0) unpublish(at, how);
  end_extras(take_extras(at));
  give_back(at);
}

std::uint64_t visible_guid(place& at) noexcept {
  return at.more && at.more->label ? at.more->label_guid : at.word.load(detail::order::relaxed) & ~k_dead;
}

} // namespace treadle::ocr
