// Parcels of one thread, one behind the other, for which nothing is to be decided: the thread writes them into the
// message that is being gathered, without the lock of its outbox.
//
//   the thread                                  who wants the message, with the lock of the outbox
//   the flag is used                            the run has no end any more
//   light fence                                 heavy fence
//   it fits before the end? write, count        wait until the flag is not used
//   the flag is not used any more               what was written and counted is the outbox's
//
// One of both sees the other (use_flag.hpp). A run begins with the lock, when several parcels of the same thread have
// been gathered and the next decision is some parcels away; a thread that wants to know or change what has been
// gathered takes the lock and ends the run.
#pragma once

#include <treadle/detail/atomic.hpp>
#include <treadle/detail/dependences.hpp>
#include <treadle/detail/fence.hpp>
#include <treadle/detail/spinlock.hpp>
#include <treadle/detail/use_flag.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace treadle::detail {

class parcel_run {
 public:
  static constexpr std::size_t k_kinds = 8;
  /// Parcels of one action and one size. Each kind has a lane of its own.
  struct part {
    std::uint64_t kind = 0;          ///< 0: none
    std::uint32_t lane = 0;          ///< of the port
    plain<std::uint32_t> parcels{0}; ///< that have come
    std::size_t bytes() const noexcept { return kind >> 32U; }
  };

  // By the thread

  /// Room for a parcel, which ends with end() and must not wait until then. Null: it does not go into this run.
  [[gnu::always_inline]] std::byte* begin(unsigned to, std::uint32_t action, std::size_t bytes) noexcept {
    const std::uint64_t kind = kind_of(action, bytes);
    if (m_parts[place_of(kind)].kind != kind || m_to != to) return nullptr;
    const auto end = reinterpret_cast<std::uintptr_t>(m_used.enter(m_end));
    std::byte* const at = m_next;
    if (TREADLE_LIKELY(reinterpret_cast<std::uintptr_t>(at) + bytes <= end)) return at;
    m_used.leave();
    return nullptr;
  }
  [[gnu::always_inline]] void end(std::uint32_t action, std::size_t bytes) noexcept {
    part& one = m_parts[place_of(kind_of(action, bytes))];
    m_next = m_next + bytes;
    one.parcels = one.parcels + 1;
    m_used.leave();
  }

  /// With the lock, where it has no outbox: it begins, at `begin` and with `room` bytes. Parcels like this one go into
  /// it, and those that the last runs have had. `left(part)`: for how many bytes nothing is to be decided where such
  /// parcels come. Less than `least`, of any of them: it does not begin, because that parcel would soon end it.
  template <class Left>
  void open(void* outbox, unsigned to, std::uint32_t action, std::size_t bytes, std::uint32_t lane, std::byte* begin,
            std::size_t room, std::size_t least, Left left) noexcept {
    const std::uint64_t kind = kind_of(action, bytes);
    m_parts[place_of(kind)] = {kind, lane, 1};
    for (std::size_t i = 0; i < k_kinds; ++i) {
      part& one = m_parts[i];
      m_opens_unused[i] = one.parcels != 0 ? 0 : static_cast<std::uint8_t>(m_opens_unused[i] + 1);
      one.parcels = 0;
      if (m_opens_unused[i] == k_most_unused || (m_to != to && one.kind != kind)) one.kind = 0;
      if (one.kind != 0) room = std::min(room, left(one));
    }
    m_to = to;
    if (room < least) return;
    m_outbox.store(outbox, order::relaxed);
    m_next = begin;
    m_end.store(begin + room, order::relaxed);
  }
  /// Where it goes on, or is being closed; null: nobody else uses it.
  void* outbox() const noexcept { return m_outbox.load(order::acquire); } // pairs with close()

  // With the lock

  /// A parcel is being written.
  bool is_used() const noexcept { return m_used.is_used(); }
  /// Calls count(part) of those that have had parcels. `is_own`: by the thread itself.
  template <class F>
  void close(bool is_own, F count) noexcept {
    m_end.store(nullptr, order::relaxed);
    if (!is_own) {
      heavy_fence();
      for (patient_spin spin; m_used.is_used();) spin.wait(); // a matter of instructions
    }
    for (const part& one : m_parts)
      if (one.parcels != 0) count(one);
    m_outbox.store(nullptr, order::release); // pairs with outbox(): it may begin again elsewhere, or end
  }

 private:
  static constexpr std::uint8_t k_most_unused = 4;
  static constexpr std::uint64_t kind_of(std::uint32_t action, std::size_t bytes) noexcept {
    return std::uint64_t{bytes} << 32U | action;
  }
  /// A call with a result and one without are of one action, and of other sizes.
  static constexpr std::size_t place_of(std::uint64_t kind) noexcept { return (kind ^ kind >> 35U) % k_kinds; }

  use_flag m_used;
  atomic<std::byte*> m_end{nullptr}; ///< null: nothing goes into it
  atomic<void*> m_outbox{nullptr};
  // Of the thread; of who closes it
  plain<std::byte*> m_next{nullptr};
  unsigned m_to = 0;
  part m_parts[k_kinds];
  std::uint8_t m_opens_unused[k_kinds] = {}; ///< how often open() has found that none had come
};

inline constexpr unsigned k_parcel_runs = 8;                ///< of a thread, for as many destinations
inline constexpr std::uint32_t k_parcel_sent_bit = 1U << 9; ///< of wanted_events

} // namespace treadle::detail

/// Those of the calling thread. Null until it needs them, when it ends, and in the child of a fork.
extern "C" [[gnu::tls_model("initial-exec")]] constinit thread_local treadle::detail::parcel_run* treadle_parcel_runs;

namespace treadle::detail {

#if defined(__x86_64__)
/// Reads the variable anew at every call: the caller may be on another thread than before (docs/design/fibers.md).
inline parcel_run* this_thread_runs() noexcept {
  parcel_run* runs;
  asm volatile("movq treadle_parcel_runs@gottpoff(%%rip), %0\n\tmovq %%fs:(%0), %0" : "=r"(runs));
  return runs;
}
#else
parcel_run* this_thread_runs() noexcept; // never inlined
#endif

/// The one of the calling thread that a parcel may go into. Null: there is none.
[[gnu::always_inline]] inline parcel_run* run_for(unsigned to) noexcept {
  parcel_run* const runs = this_thread_runs();
  const bool is_there = runs && (wanted_events.load(order::relaxed) & k_parcel_sent_bit) == 0;
  return TREADLE_LIKELY(is_there) ? runs + to % k_parcel_runs : nullptr;
}

} // namespace treadle::detail
