#pragma once

#include "compat/ocr/delivery.hpp"

namespace treadle::ocr {

/// An event, protected by the lock of its place but for what is constant.
struct event {
  ocrEventTypes_t type;      // constant
  bool takes_arg;            // constant
  bool is_satisfied = false; ///< and stays so
  std::uint64_t payload = 0; ///< with which
  target first;              ///< who waits, in their order
  waiter *more = nullptr, *last = nullptr;
  /// Latch: satisfactions of the INCR slot minus those of the DECR slot; counted: dependences to come.
  std::int64_t count = 0;
  void* rest = nullptr; ///< of a channel or a collective event
};

/// 0, or why there can be no such event.
std::uint8_t check_event(ocrEventTypes_t type, unsigned props, const ocrEventParams_t* params) noexcept;
/// A new event, published. The arguments were checked. Throws std::bad_alloc.
reference make_event(ocrEventTypes_t type, bool takes_arg, const ocrEventParams_t* params,
                     class label_claim* claim = nullptr, bool is_runtimes = false);

/// Satisfies a slot; what follows from that is left in `next`, to be delivered without the lock.
std::uint8_t satisfy_event(const reference& what, std::uint64_t db, std::uint32_t slot, fired& next);
/// From its output slot `source_slot`, to be delivered at once where `now` says so.
std::uint8_t add_waiter(const reference& what, const target& to, std::uint32_t source_slot, fired& now);
std::uint8_t contribute(const reference& what, const void* data, std::uint32_t contributor, fired& next);
/// False when somebody else was first.
bool destroy_event(const reference& what) noexcept;
/// Frees what an event has beside its place: at the end of a program, or by who has unpublished it.
void free_event(place& at) noexcept;

const char* type_name(ocrEventTypes_t type) noexcept;

} // namespace treadle::ocr
