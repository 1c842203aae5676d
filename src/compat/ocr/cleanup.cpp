#include "compat/ocr/cleanup.hpp"

#include "compat/ocr/block.hpp"
#include "compat/ocr/edt.hpp"
#include "compat/ocr/event.hpp"
#include "compat/ocr/labels.hpp"
#include "compat/ocr/report.hpp"

#include <array>
#include <string>

namespace treadle::ocr {

using detail::order;

namespace {

constexpr std::uint64_t k_most_named = 20; // of a kind

struct leftovers {
  std::array<std::uint64_t, 8> of{};
};

std::string missing_slots(edt& one) {
  std::string text;
  unsigned named = 0;
  for (std::uint32_t i = 0; i < one.depc(); ++i) {
    if (one.slot(i).is_satisfied) continue;
    if (++named > 8) return text + ", ...";
    text += (text.empty() ? "" : ", ") + std::to_string(i);
  }
  return text;
}

void note_one(place& at, const std::string& what) {
  note("OCR: at the end there is " + text_of(visible_guid(at)) + (what.empty() ? "" : ": " + what));
}

void visit(place& at, void* context) {
  auto& left = *static_cast<leftovers*>(context);
  const kind what = at.what.load(order::relaxed);
  if (at.is_runtimes || what == kind::waiting) return;
  if (++left.of[static_cast<std::size_t>(what)] > k_most_named) return;
  switch (what) {
  case kind::edt: {
    edt& one = edt::of(at);
    note_one(at, one.missing() != 0 ? "it never became ready; not satisfied: slot " + missing_slots(one)
                                    : "it waits for its blocks");
    break;
  }
  case kind::event: {
    const event& one = at.as<event>();
    const bool has_waiters = one.first.guid != 0 || one.more;
    note_one(at, one.is_satisfied ? "not destroyed"
                 : has_waiters    ? "never satisfied, and waited for"
                                  : "never satisfied");
    break;
  }
  case kind::block:
    note_one(at, std::to_string(at.as<block>().bytes) + " bytes, not destroyed");
    break;
  default:
    note_one(at, "not destroyed");
  }
}

void free_one(place& at, void*) {
  switch (at.what.load(order::relaxed)) {
  case kind::edt: {
    edt& one = edt::of(at);
    unpublish(at, ending::destroyed);
    end_extras(take_extras(at));
    one.abandon(false);
    static_cast<detail::future_state&>(one).release();
    break;
  }
  case kind::event:
    free_event(at);
    break;
  case kind::block:
    free_block(at);
    break;
  case kind::range:
    free_range(at);
    break;
  default:
    end_place(at, ending::destroyed);
  }
}

} // namespace

void note_leftovers(bool is_stuck) {
  if (is_stuck) note("OCR: nothing is left to do, but nobody has called ocrShutdown()");
  leftovers left;
  for_each_place(visit, &left);
  for (const std::uint64_t count : left.of) {
    if (count > k_most_named) note("OCR: and " + std::to_string(count - k_most_named) + " more of a kind");
  }
}

void clean_up() noexcept {
  for_each_place(free_one, nullptr);
  free_all_labels();
  forget_names();
}

} // namespace treadle::ocr
