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
#include <vector>

namespace treadle::ocr {

using detail::order;

namespace {

using gate_type = pause_gate<mutex, condition_variable>;
gate_type gate;

/// Not inlined: its caller may go on with another thread after a wait.
TREADLE_NOINLINE gate_type::counts& own_counts() noexcept {
  thread_local gate_type::counts* mine = nullptr;
  if (TREADLE_UNLIKELY(!mine)) gate.add(*(mine = new gate_type::counts)); // NOLINT: kept for ever
  return *mine;
}

} // namespace

void begin_running() noexcept { gate.begin(own_counts, is_stopping); }
void end_running() noexcept { gate.end(own_counts()); }
void end_pause() noexcept { gate.open(); }

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
  return gate.close(current_edt() != nullptr, isBlocking, own_counts, is_stopping) ? 1 : 0;
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
