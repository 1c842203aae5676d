// Pauses, and what programs may ask while there is one.

#include "compat/ocr/pause.hpp"

#include "compat/ocr/block.hpp"
#include "compat/ocr/edt.hpp"
#include "compat/ocr/event.hpp"
#include "compat/ocr/pause_gate.hpp"
#include "compat/ocr/program.hpp"

#include <treadle/condition_variable.hpp>
#include <treadle/mutex.hpp>

#include <cstring>
#include <mutex>
#include <vector>

namespace treadle::ocr {

using detail::order;

namespace {

pause_gate gate;

pause_gate::counts& counts_of_thread() noexcept {
  thread_local pause_gate::counts* mine = nullptr;
  if (TREADLE_UNLIKELY(!mine)) gate.add(*(mine = new pause_gate::counts)); // NOLINT: kept for ever
  return *mine;
}

mutex lock;
condition_variable pause_ends, edt_ends;

void wait_for_turn() {
  std::unique_lock guard(lock);
  pause_ends.wait(guard, [] { return !gate.is_closed() || is_stopping(); });
}

} // namespace

TREADLE_NOINLINE void begin_running() noexcept {
  for (;;) {
    if (TREADLE_LIKELY(gate.enter(counts_of_thread())) || is_stopping()) return;
    end_running();
    wait_for_turn();
  }
}
TREADLE_NOINLINE void end_running() noexcept {
  if (TREADLE_LIKELY(!gate.leave(counts_of_thread()))) return;
  const std::lock_guard guard(lock); // who pauses either sees it, or waits by now
  edt_ends.notify_all();
}

void end_pause() noexcept {
  {
    const std::lock_guard guard(lock);
    gate.open();
  }
  pause_ends.notify_all();
  edt_ends.notify_all();
}

namespace {

struct query_result {
  ocrQueryType_t query;
  std::vector<ocrGuid_t> found;
};

void add_found(place& at, void* context) {
  auto& [query, found] = *static_cast<query_result*>(context);
  const kind what = at.what.load(order::relaxed);
  const detail::scoped_lock guard(at.lock);
  switch (query) {
  case OCR_QUERY_ALL_EDTS:
    if (what == kind::edt) found.push_back(guid_of(visible_guid(at)));
    break;
  case OCR_QUERY_READY_EDTS:
    if (what == kind::edt && edt::of(at).missing() == 0 && &edt::of(at) != current_edt())
      found.push_back(guid_of(visible_guid(at)));
    break;
  case OCR_QUERY_EVENTS:
    if (what == kind::event) found.push_back(guid_of(visible_guid(at)));
    break;
  case OCR_QUERY_LAST_SATISFIED_DB:
    break;
  }
}

} // namespace

} // namespace treadle::ocr

using namespace treadle::ocr;

u32 ocrPause(bool isBlocking) {
  const std::uint64_t own = current_edt() ? 1 : 0;
  std::unique_lock guard(lock);
  while (gate.is_closed() && !is_stopping()) {
    if (!isBlocking) return 0;
    guard.unlock();
    // Who pauses waits for this EDT to be at rest.
    if (own != 0) end_running();
    wait_for_turn();
    if (own != 0) begin_running();
    guard.lock();
  }
  if (is_stopping()) return 0;
  gate.close();
  edt_ends.wait(guard, [&] { return gate.running() <= own || is_stopping(); });
  return 1;
}

void ocrResume(u32 flag) {
  if (flag != 0) end_pause();
}

ocrGuid_t ocrQuery(ocrQueryType_t query, ocrGuid_t guid, void** result, u32* size, u8) {
  if (result) *result = nullptr;
  if (size) *size = 0;
  if (!gate.is_closed()) return NULL_GUID;
  query_result all{query, {}};
  if (query == OCR_QUERY_LAST_SATISFIED_DB) {
    const reference found = resolve(guid, kind::event);
    if (!found) return NULL_GUID;
    const treadle::detail::scoped_lock hold(found.at->lock);
    all.found.push_back(guid_of(found.at->as<event>().payload));
  } else {
    for_each_place(add_found, &all);
  }
  const std::size_t bytes = all.found.size() * sizeof(ocrGuid_t);
  const reference made = make_block(bytes != 0 ? bytes : sizeof(ocrGuid_t), DB_PROP_NONE, current_edt());
  block& what = made.at->as<block>();
  if (bytes != 0) std::memcpy(what.data, all.found.data(), bytes);
  if (result) *result = what.data;
  if (size) *size = static_cast<u32>(bytes);
  return guid_of(made.guid);
}

void ocrInjectFault() {}
