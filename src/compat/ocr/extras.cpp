#include "compat/ocr/extras.hpp"

#include "compat/ocr/labels.hpp"

#include <utility>

namespace treadle::ocr {

extras& extras_of(place& at) {
  extras* found = at.more.load(detail::order::relaxed);                  // with the lock
  if (!found) at.more.store(found = new extras, detail::order::release); // pairs with those who look without it
  return *found;
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
    if (extras* const more = at.more.load(detail::order::relaxed)) freed = std::exchange(more->label, nullptr);
  }
  if (freed) free_label(*freed);
}

void end_place(place& at, ending how) noexcept {
  if ((at.word.load(detail::order::relaxed) & k_dead) == 0) unpublish(at, how);
  end_extras(take_extras(at));
  give_back(at);
}

std::uint64_t visible_guid(place& at) noexcept {
  const extras* const more = at.more.load(detail::order::acquire); // pairs with extras_of()
  return more && more->label ? more->label_guid : at.word.load(detail::order::relaxed) & ~k_dead;
}

} // namespace treadle::ocr
