#include "compat/ocr/delivery.hpp"

#include "compat/ocr/edt.hpp"
#include "compat/ocr/event.hpp"
#include "compat/ocr/report.hpp"
#include "compat/ocr/waiting.hpp"

#include <treadle/detail/slab.hpp>

#include <new>
#include <utility>
#include <vector>

namespace treadle::ocr {

waiter* make_waiter(const target& to, waiter* next) {
  return ::new (detail::slab_allocate(sizeof(waiter))) waiter{next, to};
}
void free_waiter(waiter* one) noexcept { detail::slab_free(one, sizeof(waiter)); }

std::uint8_t deliver_one(const target& to, std::uint64_t db, fired& next) {
  const reference found = resolve(to.guid);
  switch (found.what()) {
  case kind::edt:
    return satisfy_edt(found, to.slot, db, to.mode);
  case kind::event:
    return satisfy_event(found, db, to.slot, next);
  case kind::waiting:
    wake(found, db);
    return 0;
  default:
    break;
  }
  // An EDT that ocrEdtDestroy() has ended, or an event that was destroyed, need not be satisfied any more.
  const place* const was = place_of(to.guid);
  const bool is_former = was && was->word.load(detail::order::acquire) == (to.guid | k_dead);
  if (is_former && was->end.load(detail::order::relaxed) == ending::destroyed) return 0;
  return OCR_EINVAL;
}

namespace {

const char* trouble(std::uint8_t code) noexcept {
  return code == OCR_EPERM ? "satisfied although it was before" : "satisfied although there is no such slot any more";
}

} // namespace

void deliver(fired from) {
  std::vector<fired> rest; // no memory as long as each event has one waiter
  for (;;) {
    target to;
    if (from.first.guid != 0) {
      to = std::exchange(from.first, {});
    } else if (from.more) {
      waiter* const one = std::exchange(from.more, from.more->next);
      to = one->to;
      free_waiter(one);
    } else if (!rest.empty()) {
      from = rest.back();
      rest.pop_back();
      continue;
    } else {
      return;
    }
    fired next;
    if (const std::uint8_t code = deliver_one(to, from.db, next); TREADLE_UNLIKELY(code != 0))
      report({"dependence", code, trouble(code)}, to.guid);
    if (next.is_empty()) continue;
    if (!from.is_empty()) rest.push_back(from);
    from = next;
  }
}

std::uint8_t deliver_now(const target& to, std::uint64_t db) {
  fired next;
  const std::uint8_t code = deliver_one(to, db, next);
  if (!next.is_empty()) deliver(next);
  return code;
}

} // namespace treadle::ocr
