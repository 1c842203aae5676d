#include "compat/ocr/event.hpp"

#include "compat/ocr/channel.hpp"
#include "compat/ocr/collective.hpp"
#include "compat/ocr/extras.hpp"
#include "compat/ocr/labels.hpp"
#include "compat/ocr/program.hpp"
#include "compat/ocr/report.hpp"

#include <new>
#include <utility>

namespace treadle::ocr {

namespace {

void append(event& what, const target& to) {
  if (what.first.guid == 0 && !what.more) {
    what.first = to;
    return;
  }
  waiter* const one = make_waiter(to);
  (what.more ? what.last->next : what.more) = one;
  what.last = one;
}

fired take_waiters(event& what, std::uint64_t db) noexcept {
  what.last = nullptr;
  return {std::exchange(what.first, {}), std::exchange(what.more, nullptr), db};
}

channel& channel_of(event& what) noexcept { return *static_cast<channel*>(what.rest); }
collective& collective_of(event& what) noexcept { return *static_cast<collective*>(what.rest); }

/// What an event that ends has, to be ended without its lock.
struct ended {
  place* at = nullptr;
  void by(place& one) noexcept {
    unpublish(one, ending::ran);
    at = &one;
  }
  ~ended() {
    if (at) free_event(*at);
  }
};

} // namespace

const char* type_name(ocrEventTypes_t type) noexcept {
  constexpr const char* names[] = {"", "once", "idempotent", "sticky", "latch", "counted", "channel", "collective"};
  return names[static_cast<unsigned>(type) % 8];
}

std::uint8_t check_event(ocrEventTypes_t type, unsigned props, const ocrEventParams_t* params) noexcept {
  if (type < OCR_EVENT_ONCE_T || type >= OCR_EVENT_T_MAX) return OCR_EINVAL;
  if ((props & ~unsigned{EVT_PROP_TAKES_ARG | GUID_PROP_CHECK | GUID_PROP_BLOCK}) != 0) return OCR_EINVAL;
  switch (type) {
  case OCR_EVENT_COUNTED_T:
    return params && params->EVENT_COUNTED.nbDeps != 0 ? 0 : OCR_EINVAL;
  case OCR_EVENT_CHANNEL_T:
    return params && channel::is_possible(params->EVENT_CHANNEL) ? 0 : OCR_EINVAL;
  case OCR_EVENT_COLLECTIVE_T:
    return params && collective::is_possible(params->EVENT_COLLECTIVE) ? 0 : OCR_EINVAL;
  default:
    return 0;
  }
}

reference make_event(ocrEventTypes_t type, bool takes_arg, const ocrEventParams_t* params, label_claim* claim,
                     bool is_runtimes) {
  place& at = take_place(kind::event, sizeof(event));
  auto& made = *::new (at.memory()) event{.type = type, .takes_arg = takes_arg || state.passes_blocks, .first = {}};
  try {
    if (claim) claim->attach(at);
    if (type == OCR_EVENT_LATCH_T && params) made.count = static_cast<std::int64_t>(params->EVENT_LATCH.counter);
    if (type == OCR_EVENT_COUNTED_T) made.count = static_cast<std::int64_t>(params->EVENT_COUNTED.nbDeps);
    if (type == OCR_EVENT_CHANNEL_T) made.rest = new channel(params->EVENT_CHANNEL);
    if (type == OCR_EVENT_COLLECTIVE_T) made.rest = new collective(params->EVENT_COLLECTIVE);
  } catch (...) {
    delete take_extras(at); // the claim frees the label
    give_back(at);
    throw;
  }
  at.is_runtimes = is_runtimes;
  return {&at, publish(at)};
}

std::uint8_t satisfy_event(const reference& what, std::uint64_t db, std::uint32_t slot, fired& next) {
  ended end; // after the lock
  const detail::scoped_lock guard(what.at->lock);
  if (!what.is_alive()) return OCR_EINVAL;
  event& self = what.at->as<event>();
  if (slot > (self.type == OCR_EVENT_LATCH_T ? 1U : 0U)) return OCR_EINVAL;
  std::uint8_t code = 0;
  if (self.type != OCR_EVENT_LATCH_T && db != 0 && !self.takes_arg) {
    db = 0; // the event is satisfied all the same
    code = OCR_EPERM;
  }
  switch (self.type) {
  case OCR_EVENT_ONCE_T:
    next = take_waiters(self, db);
    end.by(*what.at);
    return code;
  case OCR_EVENT_IDEM_T:
  case OCR_EVENT_STICKY_T:
  case OCR_EVENT_COUNTED_T:
    if (self.is_satisfied) return self.type == OCR_EVENT_IDEM_T ? std::uint8_t{0} : std::uint8_t{OCR_EPERM};
    self.is_satisfied = true;
    self.payload = db;
    next = take_waiters(self, db);
    if (self.type == OCR_EVENT_COUNTED_T && self.count == 0) end.by(*what.at);
    return code;
  case OCR_EVENT_LATCH_T:
    self.count += slot == OCR_EVENT_LATCH_INCR_SLOT ? 1 : -1;
    if (self.count != 0) return 0;
    next = take_waiters(self, 0);
    end.by(*what.at);
    return 0;
  case OCR_EVENT_CHANNEL_T: {
    const std::uint8_t refused = channel_of(self).satisfy(db, next);
    return refused != 0 ? refused : code;
  }
  default:
    return OCR_EINVAL; // collective: by contribute()
  }
}

std::uint8_t add_waiter(const reference& what, const target& to, std::uint32_t source_slot, fired& now) {
  ended end; // after the lock
  const detail::scoped_lock guard(what.at->lock);
  if (!what.is_alive()) return OCR_EINVAL;
  event& self = what.at->as<event>();
  if (self.type == OCR_EVENT_CHANNEL_T)
    return source_slot == 0 ? channel_of(self).add(to, now) : std::uint8_t{OCR_EINVAL};
  if (self.type == OCR_EVENT_COLLECTIVE_T) return collective_of(self).add(source_slot, to, now);
  if (source_slot != 0) return OCR_EINVAL;
  if (self.type == OCR_EVENT_COUNTED_T) {
    if (self.count == 0) return OCR_EPERM; // all have come, but it is not satisfied
    if (--self.count == 0 && self.is_satisfied) end.by(*what.at);
  }
  if (self.is_satisfied) {
    now.first = to;
    now.db = self.payload;
  } else {
    append(self, to);
  }
  return 0;
}

std::uint8_t contribute(const reference& what, const void* data, std::uint32_t contributor, fired& next) {
  const detail::scoped_lock guard(what.at->lock);
  if (!what.is_alive() || what.at->as<event>().type != OCR_EVENT_COLLECTIVE_T) return OCR_EINVAL;
  return collective_of(what.at->as<event>()).contribute(data, contributor, next);
}

bool destroy_event(const reference& what) noexcept {
  {
    const detail::scoped_lock guard(what.at->lock);
    if (!what.is_alive()) return false;
    unpublish(*what.at, ending::destroyed);
  }
  free_event(*what.at);
  return true;
}

void free_event(place& at) noexcept {
  event& self = at.as<event>();
  while (self.more) free_waiter(std::exchange(self.more, self.more->next));
  if (self.type == OCR_EVENT_CHANNEL_T) delete static_cast<channel*>(self.rest);
  if (self.type == OCR_EVENT_COLLECTIVE_T) delete static_cast<collective*>(self.rest);
  end_place(at, ending::destroyed);
}

} // namespace treadle::ocr
