#include "compat/ocr/waiting.hpp"

#include "compat/ocr/delivery.hpp"
#include "compat/ocr/edt.hpp"
#include "compat/ocr/event.hpp"
#include "compat/ocr/pause.hpp"
#include "compat/ocr/program.hpp"

#include <treadle/detail/fence.hpp>
#include <treadle/future.hpp>
#include <treadle/promise.hpp>

#include <new>
#include <utility>

namespace treadle::ocr {

using detail::order;

namespace {

/// Somebody who waits: on his stack; the place holds a pointer to it until somebody has taken it away.
struct wait_record {
  promise<std::uint64_t> result;
};
struct waiting {
  wait_record* record;
};

/// By the one that is first: the event, or the end of the program. Unpublished, so that the other one finds nothing.
wait_record* take_record(place& at, std::uint64_t guid) noexcept {
  const detail::scoped_lock guard(at.lock);
  if (at.word.load(order::relaxed) != guid) return nullptr;
  unpublish(at, ending::destroyed);
  return at.as<waiting>().record;
}

} // namespace

void wake(const reference& found, std::uint64_t db) noexcept {
  // The record may be gone as soon as the value is set, so the promise is moved out of it first.
  if (wait_record* const record = take_record(*found.at, found.guid)) {
    promise<std::uint64_t> result = std::move(record->result);
    result.set_value(db);
  }
}

void wake_all_waiting() noexcept {
  for_each_place(
      [](place& at, void*) {
        if (at.what.load(order::relaxed) == kind::waiting)
          wake({&at, at.word.load(order::relaxed)}, word_of(ERROR_GUID));
      },
      nullptr);
}

std::uint8_t wait_for_event(std::uint64_t event_guid, std::uint64_t& db) {
  const reference found = resolve(event_guid, kind::event);
  if (!found) return OCR_EINVAL;
  wait_record record;
  future<std::uint64_t> result = record.result.get_future();
  place& at = take_place(kind::waiting, sizeof(waiting));
  ::new (at.memory()) waiting{&record};
  at.is_runtimes = true;
  const std::uint64_t guid = publish(at);
  fired now;
  std::uint8_t code = add_waiter(found, {guid, 0, DB_MODE_NULL}, 0, now);
  if (code == 0) {
    if (!now.is_empty()) deliver(now);
    detail::light_fence();
    if (is_stopping()) wake({&at, guid}, word_of(ERROR_GUID)); // stop() may have come before this place was there
    edt* const self = current_edt();
    if (self) end_running(); // a pause does not wait for it
    db = result.get();
    if (self) begin_running();
    if (db == word_of(ERROR_GUID)) code = OCR_ECANCELED;
  } else {
    take_record(at, guid);
  }
  give_back(at);
  return code;
}

} // namespace treadle::ocr
