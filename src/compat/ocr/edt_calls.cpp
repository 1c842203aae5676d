// The calls for EDTs and their templates.

#include "compat/ocr/edt.hpp"
#include "compat/ocr/event.hpp"
#include "compat/ocr/hints.hpp"
#include "compat/ocr/labels.hpp"
#include "compat/ocr/program.hpp"
#include "compat/ocr/report.hpp"
#include "compat/ocr/spawn.hpp"

#include <cstring>
#include <mutex>
#include <new>
#include <string>
#include <unordered_set>

namespace treadle::ocr {

namespace {

std::mutex names_lock;
std::unordered_set<std::string>& names() {
  static auto* const all = new std::unordered_set<std::string>; // NOLINT: threads may ask after static destruction
  return *all;
}

constexpr unsigned k_edt_props =
    EDT_PROP_FINISH | EDT_PROP_NO_HINT | EDT_PROP_LONG | EDT_PROP_OEVT_VALID | GUID_PROP_CHECK | GUID_PROP_BLOCK;

bool is_source(ocrGuid_t guid) noexcept {
  if (ocrGuidIsNull(guid) || ocrGuidIsUninitialized(guid)) return true;
  const kind what = resolve(guid).what();
  return what == kind::block || what == kind::event;
}

/// What is wrong with the arguments; null: nothing. Sets the code.
const char* check_arguments(const edt_request& r, const edt_shape& from, std::uint32_t& paramc, std::uint32_t& depc,
                            std::uint8_t& code) noexcept {
  code = OCR_EINVAL;
  if (paramc == EDT_PARAM_UNK || depc == EDT_PARAM_UNK) return "an EDT has to say how many parameters and slots it has";
  if (paramc == EDT_PARAM_DEF) paramc = from.paramc;
  if (depc == EDT_PARAM_DEF) depc = from.depc;
  if (paramc == EDT_PARAM_UNK || depc == EDT_PARAM_UNK)
    return "neither the EDT nor its template says how many there are";
  if (from.paramc != EDT_PARAM_UNK && paramc != from.paramc) return "paramc is not that of the template";
  if (from.depc != EDT_PARAM_UNK && depc != from.depc) return "depc is not that of the template";
  if ((paramc != 0) != (r.paramv != nullptr)) return "paramv has to be given exactly where there are parameters";
  if ((r.props & ~k_edt_props) != 0) return "unknown properties";
  if ((r.props & EDT_PROP_OEVT_VALID) != 0 && (!r.output || resolve(*r.output, kind::event).what() != kind::event))
    return "EDT_PROP_OEVT_VALID without an event";
  if ((r.props & GUID_PROP_IS_LABELED) != 0 && (r.depv || r.output))
    return "an EDT with a label has neither depv nor an output event";
  for (std::uint32_t i = 0; r.depv && i < depc; ++i) {
    if (!is_source(r.depv[i])) return "depv has something that is neither block nor event";
  }
  code = OCR_EPERM;
  if (!r.guid && depc != 0 && !r.depv) return "nobody could satisfy the slots of an EDT without GUID and depv";
  code = 0;
  return nullptr;
}

void set_output(edt& made, const edt_request& r, finish_scope* outer) {
  std::uint64_t output = 0;
  if (r.output && (r.props & EDT_PROP_OEVT_VALID) != 0) {
    output = word_of(*r.output);
  } else if (r.output) {
    output = make_event(OCR_EVENT_ONCE_T, true, nullptr, nullptr, true).guid;
    *r.output = guid_of(output);
    made.makes_output = true;
  }
  made.shown_output = output;
  if ((r.props & EDT_PROP_FINISH) != 0) {
    made.is_finish = true;
    made.keeps_result = r.keeps_result;
    made.scope = make_scope(outer, output);
  } else {
    if (outer) outer->add();
    made.scope = outer;
    made.output = output;
  }
}

} // namespace

const char* keep_name(const char* name) {
  const std::lock_guard guard(names_lock);
  return names().emplace(name).first->c_str();
}
void forget_names() noexcept {
  const std::lock_guard guard(names_lock);
  names().clear();
}

std::uint8_t create_edt(const char* call, const edt_request& r) try {
  const reference found = resolve(r.from, kind::edt_template);
  edt_shape from;
  if (TREADLE_UNLIKELY(!found || !found.at->as<edt_template>().read(from, [&] { return found.is_alive(); })))
    return refuse({call, OCR_EINVAL, "no template"}, r.from);
  std::uint32_t paramc = r.paramc, depc = r.depc;
  std::uint8_t code = 0;
  if (const char* const wrong = check_arguments(r, from, paramc, depc, code))
    return refuse({call, code, wrong}, r.from);
  label_claim claim(r.guid, r.props, GUID_USER_EDT);
  if (TREADLE_UNLIKELY(claim.error() != 0)) return refuse({call, claim.error(), "label"}, *r.guid);

  edt& made = edt::make({from.function, from.name, paramc, depc}, r.paramv, claim);
  try {
    give_hints(made.at(), found, (r.props & EDT_PROP_NO_HINT) != 0 ? nullptr : r.hint);
    made.set_priority();
    edt* const creator = current_edt();
    set_output(made, r, creator ? creator->scope : nullptr);
  } catch (...) {
    made.discard();
    throw;
  }
  const bool is_open = r.depv || depc == 0; // the maker's slot is satisfied at the end
  if (!is_open) static_cast<void>(made.satisfy_makers());
  const std::uint64_t own = publish(made.at());
  const std::uint64_t guid = claim.complete(own);
  if (r.guid) *r.guid = guid_of(guid);

  // From the first satisfied slot on others may be at work with it; it cannot start before the maker's slot is.
  for (std::uint32_t i = 0; r.depv && i < depc; ++i) {
    if (ocrGuidIsUninitialized(r.depv[i])) continue;
    if (const std::uint8_t failed = add_dependence(word_of(r.depv[i]), 0, {own, i, r.mode}))
      report({call, failed, "a source of depv is not possible, or gone meanwhile"}, word_of(r.depv[i]), guid);
  }
  if (!is_open) return 0;
  bool is_ready = false;
  {
    const detail::scoped_lock guard(made.at().lock);
    is_ready = made.satisfy_makers();
  }
  if (is_ready) made.start();
  return 0;
} catch (const std::bad_alloc&) {
  return refuse({call, OCR_ENOMEM, "no memory"}, r.from);
}

} // namespace treadle::ocr

using namespace treadle::ocr;

u8 ocrEdtTemplateCreate_internal(ocrGuid_t* guid, ocrEdt_t function, u32 paramc, u32 depc, const char* name) try {
  if (!guid || !function || paramc == EDT_PARAM_DEF || depc == EDT_PARAM_DEF)
    return refuse({"ocrEdtTemplateCreate", OCR_EINVAL, "no GUID, no function, or EDT_PARAM_DEF"}, 0);
  place& at = take_place(kind::edt_template, sizeof(edt_template));
  ::new (at.memory()) edt_template({function, name ? keep_name(name) : nullptr, paramc, depc});
  *guid = guid_of(publish(at));
  return 0;
} catch (const std::bad_alloc&) {
  return refuse({"ocrEdtTemplateCreate", OCR_ENOMEM, "no memory"}, 0);
}

u8 ocrEdtTemplateDestroy(ocrGuid_t guid) {
  const reference found = resolve(guid, kind::edt_template);
  if (!found) return refuse({"ocrEdtTemplateDestroy", OCR_EINVAL, "no template"}, guid);
  {
    const treadle::detail::scoped_lock hold(found.at->lock);
    if (!found.is_alive()) return OCR_EINVAL;
    unpublish(*found.at, ending::destroyed);
  }
  end_place(*found.at, ending::destroyed);
  return 0;
}

u8 ocrEdtCreate(ocrGuid_t* guid, ocrGuid_t templateGuid, u32 paramc, u64* paramv, u32 depc, ocrGuid_t* depv, u16 props,
                ocrHint_t* hint, ocrGuid_t* outputEvent) {
  return create_edt("ocrEdtCreate", {.guid = guid,
                                     .from = templateGuid,
                                     .paramc = paramc,
                                     .paramv = paramv,
                                     .depc = depc,
                                     .depv = depv,
                                     .props = props,
                                     .hint = hint,
                                     .output = outputEvent});
}

u8 ocrEdtDestroy(ocrGuid_t guid) {
  const reference found = resolve(guid, kind::edt);
  if (!found) return refuse({"ocrEdtDestroy", OCR_EINVAL, "no EDT"}, guid);
  edt& self = edt::of(*found.at);
  extras* more = nullptr;
  {
    const treadle::detail::scoped_lock hold(found.at->lock);
    if (!found.is_alive() || self.missing() == 0) return OCR_EPERM;
    unpublish(*found.at, ending::destroyed);
    more = take_extras(*found.at);
  }
  end_extras(more);
  self.abandon(true);
  static_cast<treadle::detail::future_state&>(self).release();
  return 0;
}
