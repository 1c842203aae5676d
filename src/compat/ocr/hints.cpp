#include "compat/ocr/hints.hpp"

#include "compat/ocr/extras.hpp"
#include "compat/ocr/report.hpp"

#include <algorithm>
#include <iterator>

namespace treadle::ocr {

namespace {

struct property_range {
  unsigned first, count; // of ocrHintProp_t
};
property_range properties_of(ocrHintType_t type) noexcept {
  const auto between = [](unsigned start, unsigned end) { return property_range{start + 1, end - start - 1}; };
  switch (type) {
  case OCR_HINT_EDT_T:
    return between(OCR_HINT_EDT_PROP_START, OCR_HINT_EDT_PROP_END);
  case OCR_HINT_DB_T:
    return between(OCR_HINT_DB_PROP_START, OCR_HINT_DB_PROP_END);
  case OCR_HINT_EVT_T:
    return between(OCR_HINT_EVT_PROP_START, OCR_HINT_EVT_PROP_END);
  case OCR_HINT_GROUP_T:
    return between(OCR_HINT_GROUP_PROP_START, OCR_HINT_GROUP_PROP_END);
  default:
    return {0, 0};
  }
}

/// Where in the hint the property is; null: not in one of this type.
std::uint64_t* find_property(ocrHint_t& hint, ocrHintProp_t property, std::uint64_t& bit) noexcept {
  const property_range all = properties_of(hint.type);
  const unsigned index = static_cast<unsigned>(property) - all.first;
  if (static_cast<unsigned>(property) < all.first || index >= all.count) return nullptr;
  bit = std::uint64_t{1} << index;
  return &hint.args.propEDT[index]; // all members of the union begin at the same place
}

bool is_for(kind what, ocrHintType_t type) noexcept {
  switch (what) {
  case kind::edt:
  case kind::edt_template:
    return type == OCR_HINT_EDT_T;
  case kind::block:
    return type == OCR_HINT_DB_T;
  case kind::event:
    return type == OCR_HINT_EVT_T;
  default:
    return false;
  }
}

void merge(extras& into, const ocrHint_t& hint) noexcept {
  const property_range all = properties_of(hint.type);
  for (unsigned i = 0; i < all.count; ++i) {
    if ((hint.propMask >> i & 1U) == 0) continue;
    into.hints[i] = hint.args.propEDT[i];
    into.hint_mask |= std::uint64_t{1} << i;
  }
}

} // namespace

void give_hints(place& at, const ocrHint_t* hint) {
  if (TREADLE_LIKELY(!hint) || hint->propMask == 0 || !is_for(at.what.load(detail::order::relaxed), hint->type)) return;
  merge(extras_of(at), *hint);
}

void give_hints(place& at, const reference& of_template, const ocrHint_t* hint) {
  // Relaxed: who has set hints before this call is known to the caller, and the lock orders.
  if (TREADLE_UNLIKELY(of_template.at->more.load(detail::order::relaxed) != nullptr)) {
    extras& own = extras_of(at);
    const detail::scoped_lock guard(of_template.at->lock);
    const extras* const from = of_template.at->more.load(detail::order::relaxed);
    if (of_template.is_alive() && from) {
      own.hint_mask = from->hint_mask;
      std::copy(std::begin(from->hints), std::end(from->hints), std::begin(own.hints));
    }
  }
  give_hints(at, hint);
}

std::uint64_t hint_value(const place& at, ocrHintProp_t property) noexcept {
  const unsigned i = static_cast<unsigned>(property) - OCR_HINT_EDT_PROP_START - 1;
  const extras* const more = at.more.load(detail::order::acquire); // pairs with extras_of()
  return more && (more->hint_mask >> i & 1U) != 0 ? more->hints[i] : 0;
}

} // namespace treadle::ocr

using namespace treadle::ocr;

u8 ocrHintInit(ocrHint_t* hint, ocrHintType_t type) {
  if (!hint || static_cast<unsigned>(type) > OCR_HINT_GROUP_T)
    return refuse({"ocrHintInit", OCR_EINVAL, "no hint, or no such type"}, 0);
  *hint = {};
  hint->type = type;
  return 0;
}

u8 ocrSetHintValue(ocrHint_t* hint, ocrHintProp_t property, u64 value) {
  if (!hint) return 0;
  u64 bit = 0;
  u64* const place = find_property(*hint, property, bit);
  if (!place) return refuse({"ocrSetHintValue", OCR_EINVAL, "hints of this type have no such property"}, 0);
  *place = value;
  hint->propMask |= bit;
  return 0;
}

u8 ocrUnsetHintValue(ocrHint_t* hint, ocrHintProp_t property) {
  u64 bit = 0;
  if (!hint || !find_property(*hint, property, bit))
    return refuse({"ocrUnsetHintValue", OCR_EINVAL, "hints of this type have no such property"}, 0);
  hint->propMask &= ~bit;
  return 0;
}

u8 ocrGetHintValue(ocrHint_t* hint, ocrHintProp_t property, u64* value) {
  u64 bit = 0;
  const u64* const place = hint && value ? find_property(*hint, property, bit) : nullptr;
  if (!place) return refuse({"ocrGetHintValue", OCR_EINVAL, "hints of this type have no such property"}, 0);
  if ((hint->propMask & bit) == 0) return OCR_ENOENT;
  *value = *place;
  return 0;
}

u8 ocrSetHint(ocrGuid_t guid, ocrHint_t* hint) {
  const reference found = resolve(guid);
  if (!hint || !is_for(found.what(), hint->type))
    return refuse({"ocrSetHint", OCR_EINVAL, "the hint is not for this kind of object"}, guid);
  const treadle::detail::scoped_lock hold(found.at->lock);
  if (!found.is_alive()) return OCR_EINVAL;
  give_hints(*found.at, hint);
  return 0;
}

u8 ocrGetHint(ocrGuid_t guid, ocrHint_t* hint) {
  const reference found = resolve(guid);
  if (!hint || !is_for(found.what(), hint->type))
    return refuse({"ocrGetHint", OCR_EINVAL, "the hint is not for this kind of object"}, guid);
  const treadle::detail::scoped_lock hold(found.at->lock);
  if (!found.is_alive()) return OCR_EINVAL;
  const extras* const more = found.at->more.load(treadle::detail::order::relaxed); // with the lock
  if (!more) return 0;
  const u64 mask = more->hint_mask;
  for (unsigned i = 0; mask >> i != 0; ++i) {
    if ((mask >> i & 1U) != 0) hint->args.propEDT[i] = more->hints[i];
  }
  hint->propMask |= mask;
  return 0;
}
