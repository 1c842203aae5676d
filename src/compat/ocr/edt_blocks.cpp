// How an EDT comes to hold its blocks, and lets them go.

#include "compat/ocr/block.hpp"
#include "compat/ocr/edt.hpp"
#include "compat/ocr/program.hpp"
#include "compat/ocr/report.hpp"

#include <algorithm>
#include <utility>

namespace treadle::ocr {

using detail::order;

namespace {

/// The one that restricts others more.
bool is_stronger(ocrDbAccessMode_t a, ocrDbAccessMode_t b) noexcept {
  const auto rank = [](ocrDbAccessMode_t mode) {
    return mode == DB_MODE_EW ? 3 : mode == DB_MODE_RW ? 2 : mode == DB_MODE_CONST ? 1 : 0;
  };
  return rank(a) > rank(b);
}

} // namespace

void edt::collect_blocks() noexcept {
  std::uint32_t found = 0;
  for (std::uint32_t i = 0; i < m_shape.depc; ++i) {
    edt_slot& one = m_slots[i];
    m_depv[i].guid = guid_of(one.given);
    m_depv[i].mode = one.mode;
    if (one.given == 0 || one.mode == DB_MODE_NULL) continue;
    const reference wanted = resolve(one.given, kind::block);
    if (!wanted) {
      report({"acquisition", OCR_EINVAL, "a slot has what is no block, or none any more"}, one.given, guid());
      continue;
    }
    one.block = wanted.at;
    one.real = wanted.guid;
    m_slots[found++].order = i;
  }
  m_needed = found;
  if (found > 1) merge_same();
}

/// Puts the slots in the order of their blocks, the same for all EDTs, so that none waits for one that waits for it.
/// Slots with the same block acquire it once.
void edt::merge_same() noexcept {
  // The order is kept in members of the slots: sorted as a list of its own would be, by insertion where it is short.
  const auto less = [this](std::uint32_t a, std::uint32_t b) {
    return m_slots[a].block != m_slots[b].block ? m_slots[a].block < m_slots[b].block : a < b;
  };
  constexpr std::uint32_t k_few = 16;
  if (m_needed <= k_few) {
    for (std::uint32_t i = 1; i < m_needed; ++i) {
      const std::uint32_t moving = m_slots[i].order;
      std::uint32_t to = i;
      for (; to > 0 && less(moving, m_slots[to - 1].order); --to) m_slots[to].order = m_slots[to - 1].order;
      m_slots[to].order = moving;
    }
  } else {
    // A heap in place: no memory, no recursion.
    const auto at = [this](std::uint32_t i) -> std::uint32_t& { return m_slots[i].order; };
    const auto sift = [&](std::uint32_t root, std::uint32_t count) {
      for (std::uint32_t child = 2 * root + 1; child < count; child = 2 * root + 1) {
        if (child + 1 < count && less(at(child), at(child + 1))) ++child;
        if (!less(at(root), at(child))) return;
        std::swap(at(root), at(child));
        root = child;
      }
    };
    for (std::uint32_t i = m_needed / 2; i-- > 0;) sift(i, m_needed);
    for (std::uint32_t count = m_needed; count-- > 1;) {
      std::swap(at(0), at(count));
      sift(0, count);
    }
  }
  std::uint32_t kept = 0;
  for (std::uint32_t i = 0; i < m_needed; ++i) {
    edt_slot& one = m_slots[m_slots[i].order];
    if (kept != 0 && m_slots[m_slots[kept - 1].order].block == one.block) {
      edt_slot& before = m_slots[m_slots[kept - 1].order];
      if (before.mode != one.mode && is_checking())
        report({"acquisition", OCR_EINVAL, "slots of one EDT have the same block in different modes"}, one.given,
               guid());
      if (is_stronger(one.mode, before.mode)) before.mode = one.mode;
      one.is_alias = true;
    } else {
      m_slots[kept++].order = m_slots[i].order;
    }
  }
  m_needed = kept;
}

void edt::acquire() noexcept {
  while (m_next < m_needed) {
    edt_slot& one = m_slots[m_slots[m_next].order];
    std::uint64_t grants = 0;
    switch (acquire_block({one.block, one.real}, one.mode, *this, grants)) {
    case grant::queued:
      return; // somebody else may have it already
    case grant::given:
      note_write_grants(grants, false);
      take_current();
      break;
    case grant::gone:
      report({"acquisition", OCR_EINVAL, "the block of a slot was destroyed"}, one.given, guid());
      forget_block(one.block);
      ++m_next;
      break;
    }
  }
  for (std::uint32_t i = 0; i < m_shape.depc; ++i) {
    const edt_slot& one = m_slots[i];
    if (one.is_held || one.is_alias) m_depv[i].ptr = one.block ? one.block->as<block>().data : nullptr;
  }
  enqueue();
}

void edt::forget_block(const place* gone) noexcept {
  for (std::uint32_t i = 0; i < m_shape.depc; ++i) {
    if (m_slots[i].block == gone) m_slots[i].block = nullptr;
  }
}

void edt::take_current() noexcept {
  m_slots[m_slots[m_next].order].is_held = true;
  ++m_next;
}

void edt::continue_acquiring() noexcept {
  take_current();
  acquire();
}

void edt::note_write_grants(std::uint64_t grants, bool has_writer) noexcept {
  if (TREADLE_LIKELY(!m_checks)) return;
  m_checks[2 * m_slots[m_next].order] = has_writer ? k_was_written : grants;
}

void edt::begin_checks() noexcept {
  for (std::uint32_t i = 0; i < m_shape.depc; ++i) {
    const edt_slot& one = m_slots[i];
    const bool is_read_only = one.is_held && (one.mode == DB_MODE_RO || one.mode == DB_MODE_CONST);
    if (is_read_only && m_checks[2 * i] != k_was_written)
      m_checks[2 * i + 1] = hash_of(one.block->as<block>());
    else
      m_checks[2 * i] = k_was_written;
  }
}

/// Nobody had the block for writing meanwhile: then it was this EDT that wrote.
void edt::check_unwritten(const edt_slot& held) noexcept {
  const auto i = static_cast<std::uint32_t>(&held - m_slots);
  if (m_checks[2 * i] == k_was_written) return;
  block& what = held.block->as<block>();
  const std::uint64_t hash = hash_of(what);
  const detail::scoped_lock guard(held.block->lock);
  if (what.write_grants != m_checks[2 * i] || hash == m_checks[2 * i + 1]) return;
  what.resting_hash = hash; // this is said once
  note("OCR: an EDT has written to a block that it has for reading only (" +
       std::string(held.mode == DB_MODE_RO ? "DB_MODE_RO" : "DB_MODE_CONST") + "): EDT " +
       function_name(m_shape.function, m_shape.name) + ", slot " + std::to_string(i));
}

void edt::release_slot(edt_slot& held) noexcept {
  if (TREADLE_UNLIKELY(m_checks != nullptr)) check_unwritten(held);
  held.is_held = false;
  release_block(*held.block, held.mode);
}

void edt::release_created(place& at) noexcept {
  block& what = at.as<block>();
  (what.newer ? what.newer->as<block>().older : created) = what.older;
  if (what.older) what.older->as<block>().newer = what.newer;
  what.newer = what.older = nullptr;
  what.creator.store(nullptr, order::relaxed); // others only compare it with themselves
  release_block(at, what.creators_mode);
}

void edt::release_all() noexcept {
  for (std::uint32_t i = 0; i < m_needed; ++i) {
    edt_slot& one = m_slots[m_slots[i].order];
    if (one.is_held) release_slot(one);
  }
  while (created) release_created(*created);
}

bool edt::downgrade(ocrGuid_t db) noexcept {
  const auto change = [&](place& at, ocrDbAccessMode_t& mode) {
    if (is_writing(mode)) downgrade_block(at, std::exchange(mode, DB_MODE_RO));
    return true;
  };
  if (place* const made = find_created(db)) return change(*made, made->as<block>().creators_mode);
  edt_slot* const held = find_slot(db);
  return held && held->is_held && change(*held->block, held->mode);
}

bool edt::holds(ocrGuid_t db, ocrDbAccessMode_t& mode) noexcept {
  if (place* const made = find_created(db)) {
    mode = made->as<block>().creators_mode;
    return true;
  }
  const edt_slot* const held = find_slot(db);
  if (held) mode = held->mode;
  return held && held->is_held;
}

std::uint8_t edt::release_held(ocrGuid_t db) noexcept {
  if (place* const made = find_created(db)) {
    release_created(*made);
    return 0;
  }
  if (edt_slot* const held = find_slot(db)) {
    if (!held->is_held) return OCR_EACCES;
    release_slot(*held);
    return 0;
  }
  return resolve(db, kind::block) ? OCR_EACCES : OCR_EINVAL;
}

/// The one of several with the block that has acquired it.
edt_slot* edt::find_slot(ocrGuid_t db) noexcept {
  const std::uint64_t wanted = word_of(db);
  for (std::uint32_t i = 0; i < m_needed; ++i) {
    edt_slot& one = m_slots[m_slots[i].order];
    if (one.given == wanted || one.real == wanted) return &one;
  }
  return nullptr;
}

place* edt::find_created(ocrGuid_t db) noexcept {
  if (!created) return nullptr;
  const reference found = resolve(db, kind::block);
  return found && found.at->as<block>().creator.load(order::relaxed) == this ? found.at : nullptr;
}

} // namespace treadle::ocr
