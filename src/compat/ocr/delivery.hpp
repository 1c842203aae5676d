#pragma once

#include "compat/ocr/guid.hpp"

namespace treadle::ocr {

/// Where a dependence leads: a slot of an EDT or an event.
struct target {
  std::uint64_t guid = 0; ///< 0: nowhere
  std::uint32_t slot = 0;
  ocrDbAccessMode_t mode = DB_MODE_NULL;
};

/// One of those that wait for an event, in a list; from the slab.
struct waiter {
  waiter* next;
  target to;
};
waiter* make_waiter(const target& to, waiter* next = nullptr);
void free_waiter(waiter* one) noexcept;

/// What a satisfied event owes: its waiters, in their order, and what they get.
struct fired {
  target first;
  waiter* more = nullptr;
  std::uint64_t db = 0;

  bool is_empty() const noexcept { return first.guid == 0 && !more; }
};

/// Satisfies one slot. What follows from that is left in `next`. Returns the code that the call has to return, and
/// has told nobody.
std::uint8_t deliver_one(const target& to, std::uint64_t db, fired& next);
/// Satisfies all of them and what follows; errors are reported. Without recursion: chains of events are long.
void deliver(fired from);
/// Both: for calls, which return the code.
std::uint8_t deliver_now(const target& to, std::uint64_t db);

} // namespace treadle::ocr
