#include "tree/run/frame.hpp"

#include <treadle/detail/slab.hpp>

#include "tree/run/run_state.hpp"

#include <new>

namespace treadle::tree {
namespace {

constexpr std::size_t frame_bytes(std::uint32_t slots) noexcept { return sizeof(frame) + slots * sizeof(slot); }

} // namespace

frame* frame::create(frame* parent, std::uint32_t slots) {
  static_assert(alignof(slot) <= alignof(frame) && sizeof(frame) % alignof(slot) == 0);
  auto* f = new (detail::slab_allocate(frame_bytes(slots))) frame(parent, slots);
  for (std::uint32_t i = 0; i < slots; ++i) new (&f->at(i)) slot;
  return f;
}

frame* frame::create_for_part(frame& f, std::span<const std::uint32_t> copied) {
  auto* part = create(f.m_parent, f.m_slots);
  for (auto position : copied) {
    part->at(position).v = f.at(position).v;
    part->at(position).in_place = f.at(position).in_place;
  }
  return part;
}

void frame::release() noexcept {
  // Acquire pairs with the release of the one that dropped its reference before; a sole owner needs no
  // read-modify-write.
  if (m_references.load(detail::order::acquire) == 1 || m_references.fetch_sub(1, detail::order::acq_rel) == 1)
    destroy();
}

frame* frame::capture(run_state& run) {
  m_references.fetch_add(1, detail::order::relaxed);
  if (!m_captured.exchange(true, detail::order::acq_rel)) {
    if (m_parent) m_parent->capture(run); // recursion as deep as functions are nested in the text
    run.add_captured(*this);
  }
  return this;
}

void frame::clear() noexcept {
  for (std::uint32_t i = 0; i < m_slots; ++i) at(i).v = make_signal(signal::undefined);
  result = value();
}

void frame::destroy() noexcept {
  auto* captured_parent = m_captured.load(detail::order::relaxed) ? m_parent : nullptr;
  if (m_run) m_run->remove_captured(*this);
  for (std::uint32_t i = 0; i < m_slots; ++i) at(i).~slot();
  const auto bytes = frame_bytes(m_slots);
  this->~frame();
  detail::slab_free(this, bytes);
  if (captured_parent) captured_parent->release();
}

} // namespace treadle::tree
