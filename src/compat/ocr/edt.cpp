#include "compat/ocr/edt.hpp"

#include "compat/ocr/block.hpp"
#include "compat/ocr/event.hpp"
#include "compat/ocr/hints.hpp"
#include "compat/ocr/labels.hpp"
#include "compat/ocr/pause.hpp"
#include "compat/ocr/program.hpp"
#include "compat/ocr/report.hpp"
#include "compat/ocr/spawn.hpp"

#include <treadle/detail/latent.hpp>
#include <treadle/detail/slab.hpp>
#include <treadle/executors.hpp>

#include <cstring>
#include <limits>
#include <new>
#include <utility>

namespace treadle::ocr {

using detail::order;

const char edt::k_tag = 0;

edt* current_edt() noexcept {
  detail::task_stack* const stack = detail::this_task_stack();
  if (!stack) return nullptr;
  for (const detail::running_task* one = stack->running; one; one = one->outer) {
    if (one->task->belongs_to(&edt::k_tag)) return const_cast<edt*>(static_cast<const edt*>(one->task));
  }
  return nullptr;
}

edt& edt::make(const edt_shape& shape, const std::uint64_t* paramv, label_claim& claim) {
  const std::size_t checks = is_checking() ? 2 * sizeof(std::uint64_t) : 0;
  const std::size_t bytes =
      shape.paramc * sizeof(std::uint64_t) + shape.depc * (sizeof(ocrEdtDep_t) + sizeof(edt_slot) + checks);
  const bool inside = bytes <= k_largest_object - sizeof(edt);
  if (bytes > std::numeric_limits<std::uint32_t>::max()) throw std::bad_alloc();
  auto* memory = inside ? nullptr : static_cast<std::byte*>(detail::slab_allocate(bytes));
  place* at = nullptr;
  try {
    at = &take_place(kind::edt, sizeof(edt) + (inside ? bytes : 0));
    claim.attach(*at);
  } catch (...) {
    if (at) give_back(*at);
    if (!inside) detail::slab_free(memory, bytes);
    throw;
  }
  auto& made = *::new (at->memory()) edt(shape);
  if (inside)
    memory = static_cast<std::byte*>(at->memory()) + sizeof(edt);
  else
    made.m_bytes = static_cast<std::uint32_t>(bytes);
  made.m_paramv = reinterpret_cast<std::uint64_t*>(memory);
  if (shape.paramc != 0) std::memcpy(made.m_paramv, paramv, shape.paramc * sizeof(std::uint64_t));
  memory += shape.paramc * sizeof(std::uint64_t);
  made.m_depv = reinterpret_cast<ocrEdtDep_t*>(memory);
  made.m_slots = reinterpret_cast<edt_slot*>(memory + shape.depc * sizeof(ocrEdtDep_t));
  for (std::uint32_t i = 0; i < shape.depc; ++i) {
    ::new (made.m_depv + i) ocrEdtDep_t{};
    ::new (made.m_slots + i) edt_slot{};
  }
  if (checks != 0) made.m_checks = reinterpret_cast<std::uint64_t*>(made.m_slots + shape.depc);
  made.m_has_label = at->more.load(order::relaxed) != nullptr; // nobody else has given it extras yet
  made.make_claimable(false);
  return made;
}

void edt::discard() noexcept {
  // Never published: the GUID that it would have had is used up all the same.
  ocr::publish(at());
  unpublish(at(), ending::destroyed);
  delete take_extras(at()); // the label is the claim's
  future_state::release();
}

edt::~edt() {
  if (m_bytes != 0) detail::slab_free(m_paramv, m_bytes);
}

detail::task_name edt::name() const noexcept { return detail::name_from(m_shape.name ? m_shape.name : "EDT"); }

bool edt::satisfy(std::uint32_t index, std::uint64_t db, ocrDbAccessMode_t mode) noexcept {
  edt_slot& one = m_slots[index];
  one.is_satisfied = true;
  one.given = db;
  one.mode = mode;
  if (db != 0 && mode != DB_MODE_NULL) ++m_needed;
  return --m_missing == 0;
}

std::uint8_t satisfy_edt(const reference& what, std::uint32_t slot, std::uint64_t db, ocrDbAccessMode_t mode) {
  edt& self = edt::of(*what.at);
  {
    const detail::scoped_lock guard(what.at->lock);
    if (!what.is_alive() || slot >= self.depc()) return OCR_EINVAL;
    if (self.slot(slot).is_satisfied) return OCR_EPERM;
    if (!self.satisfy(slot, db, mode)) return 0;
  }
  self.start();
  return 0;
}

void edt::start() noexcept {
  if (m_needed == 0) {
    for (std::uint32_t i = 0; i < m_shape.depc; ++i) {
      m_depv[i].guid = guid_of(m_slots[i].given);
      m_depv[i].mode = m_slots[i].mode;
    }
    return enqueue();
  }
  collect_blocks();
  acquire();
}

void edt::set_priority() noexcept {
  if (TREADLE_LIKELY(at().more.load(order::relaxed) == nullptr)) return; // not published yet
  const auto level = static_cast<std::int64_t>(hint_value(at(), OCR_HINT_EDT_PRIORITY));
  is_urgent = level > 0;
  is_idle_work = level < 0;
}

void edt::enqueue() noexcept {
  if (TREADLE_UNLIKELY(is_urgent || is_idle_work)) {
    detail::placement where;
    where.level = is_urgent ? priority::high : priority::low;
    return detail::schedule_at(static_cast<detail::future_state&>(*this), where);
  }
  detail::schedule(static_cast<detail::future_state&>(*this));
}

void edt::execute(detail::sharing) noexcept {
  if (TREADLE_UNLIKELY(is_stopping())) {
    // Blocks that it holds are freed with the program.
    {
      const detail::scoped_lock guard(at().lock);
      unpublish(at(), ending::destroyed);
    }
    end_extras(take_extras(at()));
    return abandon(false);
  }
  const running_mark mark;
  if (TREADLE_UNLIKELY(m_has_label)) drop_label(at());
  if (TREADLE_UNLIKELY(m_checks != nullptr)) begin_checks();
  const ocrGuid_t result = m_shape.function(m_shape.paramc, m_shape.paramc != 0 ? m_paramv : nullptr, m_shape.depc,
                                            m_shape.depc != 0 ? m_depv : nullptr);
  end(result);
}

std::uint64_t edt::checked_result(ocrGuid_t result) noexcept {
  const std::uint64_t word = word_of(result);
  if (TREADLE_LIKELY(word == 0)) return 0;
  // A block that the EDT has destroyed, or another one destroys at the same time, is an error of who uses it.
  const place* const was = place_of(word);
  if (resolve(word, kind::block) || (was && was->what.load(order::relaxed) == kind::block)) return word;
  report({"end of EDT", OCR_EINVAL, "an EDT returns something that is no block"}, word, guid());
  return 0;
}

void edt::satisfy_output(ocrGuid_t returned) noexcept {
  const target to{output, 0, DB_DEFAULT_MODE};
  // Programs for older versions return events, which are yet to be satisfied with what they mean.
  if (TREADLE_UNLIKELY(word_of(returned) != 0) && resolve(returned, kind::event)) {
    if (const std::uint8_t failed = add_dependence(word_of(returned), 0, to))
      report({"end of EDT", failed, "an EDT returns an event that has ended"}, word_of(returned), guid());
    return;
  }
  deliver({to, nullptr, checked_result(returned)});
}

void edt::end(ocrGuid_t returned) noexcept {
  release_all();
  if (is_finish) {
    if (keeps_result) scope->result = checked_result(returned);
  } else if (output != 0) {
    satisfy_output(returned);
  } else if (is_checking()) {
    checked_result(returned);
  }
  leave(scope, true);
  extras* more = nullptr;
  {
    const detail::scoped_lock guard(at().lock);
    unpublish(at(), ending::ran);
    more = take_extras(at());
  }
  end_extras(more);
}

void edt::abandon(bool tells) noexcept {
  // An output event that was made for it goes with it; one that the program has given stays.
  const std::uint64_t event_guid = is_finish ? scope->output : output;
  if (is_finish) scope->output = 0;
  if (makes_output && tells) {
    if (const reference event = resolve(event_guid, kind::event)) destroy_event(event);
  }
  leave(scope, tells);
}

} // namespace treadle::ocr
