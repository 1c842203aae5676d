// The calls for ranges and maps of labels.

#include "compat/ocr/event.hpp"
#include "compat/ocr/extras.hpp"
#include "compat/ocr/labels.hpp"
#include "compat/ocr/report.hpp"

#include <mutex>
#include <new>
#include <vector>

namespace treadle::ocr {

using detail::order;

namespace {

/// A range, or a map with a function.
struct label_range {
  place* first;
  std::uint64_t count;
  ocrGuidMapFunc_t function; ///< null: of a range
  std::vector<s64> params;

  place& at(std::uint64_t i) const noexcept {
    return *reinterpret_cast<place*>(reinterpret_cast<std::byte*>(first) + i * k_unit);
  }
};

// All regions, until the program ends: labels in use outlive their range.
struct label_region {
  place* first;
  std::uint64_t count;
};
std::mutex regions_lock;
// Ranges that were destroyed, too, for who looks one up at the same time.
std::vector<place*>& retired() {
  static auto* const all = new std::vector<place*>; // NOLINT: as regions()
  return *all;
}
std::vector<label_region>& regions() {
  static auto* const all = new std::vector<label_region>; // NOLINT: calls may come after static destruction
  return *all;
}

bool is_label_kind(ocrGuidUserKind of) noexcept {
  switch (of) {
  case GUID_USER_DB:
  case GUID_USER_EDT:
  case GUID_USER_EVENT_ONCE:
  case GUID_USER_EVENT_COUNTED:
  case GUID_USER_EVENT_IDEM:
  case GUID_USER_EVENT_STICKY:
  case GUID_USER_EVENT_LATCH:
  case GUID_USER_EVENT_COLLECTIVE:
    return true;
  default:
    return false;
  }
}

std::uint8_t make_range(const char* call, ocrGuid_t* guid, std::uint64_t count, ocrGuidUserKind of,
                        ocrGuidMapFunc_t function, const s64* params, std::uint32_t params_count) try {
  if (!guid || count == 0 || !is_label_kind(of))
    return refuse({call, OCR_EINVAL, "no place for the GUID, no labels, or a kind that has none"}, 0);
  place& at = take_place(kind::range, sizeof(label_range));
  auto& made = *::new (at.memory()) label_range{nullptr, count, function, {}};
  try {
    if (params) made.params.assign(params, params + params_count);
    made.first = take_region(kind::label, count);
    const std::lock_guard guard(regions_lock);
    regions().push_back({made.first, count});
  } catch (...) {
    made.~label_range();
    give_back(at);
    throw;
  }
  for (std::uint64_t i = 0; i < count; ++i) {
    ::new (made.at(i).memory()) label{{}, of};
  }
  *guid = guid_of(publish(at));
  return 0;
} catch (const std::bad_alloc&) {
  return refuse({call, OCR_ENOMEM, "no memory"}, 0);
}

std::uint8_t destroy_range(const char* call, ocrGuid_t guid) {
  const reference found = resolve(guid, kind::range);
  bool is_first = false;
  if (found) {
    const detail::scoped_lock hold(found.at->lock);
    is_first = found.is_alive();
    if (is_first) unpublish(*found.at, ending::destroyed);
  }
  if (!is_first) return refuse({call, OCR_EINVAL, "no range or map"}, guid);
  free_range(*found.at);
  return 0;
}

} // namespace

void free_range(place& at) noexcept {
  auto& range = at.as<label_range>();
  for (std::uint64_t i = 0; i < range.count; ++i) {
    // Taken for ever, so that nobody makes an object with it any more.
    if (range.at(i).as<label>().current.take()) unpublish(range.at(i), ending::destroyed);
  }
  if ((at.word.load(order::relaxed) & k_dead) == 0) unpublish(at, ending::destroyed);
  const std::lock_guard guard(regions_lock);
  retired().push_back(&at);
}

void free_all_labels() noexcept {
  const std::lock_guard guard(regions_lock);
  for (place* const one : retired()) {
    one->as<label_range>().~label_range();
    end_place(*one, ending::destroyed);
  }
  retired().clear();
  for (const label_region& one : regions()) give_back_region(one.first, one.count);
  regions().clear();
}

} // namespace treadle::ocr

using namespace treadle::ocr;

u8 ocrGuidRangeCreate(ocrGuid_t* range, u64 count, ocrGuidUserKind of) {
  return make_range("ocrGuidRangeCreate", range, count, of, nullptr, nullptr, 0);
}

u8 ocrGuidMapCreate(ocrGuid_t* map, u32 numParams, ocrGuidMapFunc_t function, s64* params, u64 count,
                    ocrGuidUserKind of) {
  if (!function) return refuse({"ocrGuidMapCreate", OCR_EINVAL, "no function"}, 0);
  return make_range("ocrGuidMapCreate", map, count, of, function, params, numParams);
}

u8 ocrGuidFromIndex(ocrGuid_t* guid, ocrGuid_t range, u64 index) {
  const reference found = resolve(range, kind::range);
  const label_range* const of = found ? &found.at->as<label_range>() : nullptr;
  if (!guid || !of || of->function || index >= of->count)
    return refuse({"ocrGuidFromIndex", OCR_EINVAL, "no range, or no such index"}, range);
  *guid = guid_of(of->at(index).word.load(order::relaxed)); // constant as long as the range is there
  return 0;
}

u8 ocrGuidFromLabel(ocrGuid_t* guid, ocrGuid_t map, s64* tuple) {
  const reference found = resolve(map, kind::range);
  label_range* const of = found ? &found.at->as<label_range>() : nullptr;
  if (!guid || !of || !of->function) return refuse({"ocrGuidFromLabel", OCR_EINVAL, "no map"}, map);
  const ocrGuid_t result = of->function(guid_of(of->at(0).word.load(order::relaxed)), k_unit, of->params.data(), tuple);
  const place* const label = find(word_of(result));
  if (!label || label < of->first || label > &of->at(of->count - 1))
    return refuse({"ocrGuidFromLabel", OCR_EINVAL, "the function returns what is no label of the map"}, result);
  *guid = result;
  return 0;
}

u8 ocrGuidMapSetDefaultMap(u32, ocrGuidMapFunc_t, s64*, u64, ocrGuidUserKind) { return OCR_ENOTSUP; }
u8 ocrGuidMapDestroy(ocrGuid_t map) { return destroy_range("ocrGuidMapDestroy", map); }
u8 ocrGuidRangeDestroy(ocrGuid_t range) { return destroy_range("ocrGuidRangeDestroy", range); }

u8 ocrGetGuidKind(ocrGuidUserKind* of, ocrGuid_t guid) {
  if (!of) return refuse({"ocrGetGuidKind", OCR_EINVAL, "no place for the kind"}, guid);
  *of = GUID_USER_NONE;
  place* const at = find(word_of(guid));
  if (!at) return 0;
  switch (at->what.load(order::relaxed)) {
  case kind::label:
    *of = at->as<label>().of;
    break;
  case kind::block:
    *of = GUID_USER_DB;
    break;
  case kind::edt:
    *of = GUID_USER_EDT;
    break;
  case kind::edt_template:
    *of = GUID_USER_EDT_TEMPLATE;
    break;
  case kind::event:
    *of = kind_of_event(at->as<event>().type);
    break;
  default:
    break;
  }
  return 0;
}
