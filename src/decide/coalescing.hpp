// Which parcels for one destination travel in one message. Pure.
#pragma once

#include <treadle/localities/coalescing.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace treadle::decide {

/// The parcels of a sender for one destination, in their order. Settings are `off`, `paper` or `adaptive` with numbers:
/// see coalescing_choices.
///
/// `paper` is Algorithm 1 of Wagle, Kellar, Serio and Kaiser ("Methodology for adaptive active message coalescing in
/// task based runtime systems", poster, 2018). Its text sends a sparse parcel and goes on to queue it, never queues the
/// last one of a message, and does not say what the timer does. Here a sparse parcel is sent when nothing is queued, as
/// HPX has it, the last one is queued and leaves with the others, and the timer sends what there is.
///
/// `adaptive` clocks itself: while nothing is on its way a parcel leaves at once; what comes meanwhile leaves together.
/// The more the wire is behind, the larger the messages.
class gathering {
 public:
  static constexpr std::size_t k_most_bytes = std::size_t{1} << 20U; ///< that `paper` gathers

  /// A parcel comes. True: it leaves now, with all that were gathered. `now_ns()` and `is_free()`, that nothing is on
  /// its way, are asked only where they matter: each may cost as much as the parcel.
  /// `has_time`: the sender has nothing else to do, and so gains nothing from holding it back.
  template <class Now, class IsFree>
  bool put(const coalescing& s, bool has_time, Now now_ns, std::size_t bytes, IsFree is_free) {
    add(1, bytes);
    switch (s.how) {
    case coalescing_kind::off:
      return leave();
    case coalescing_kind::adaptive:
      if (m_bytes >= static_cast<std::size_t>(s.bytes)) return leave();
      m_hurries |= s.hold_ns == 0;
      if (m_bytes < m_next_look && !(has_time && m_is_held)) return false;
      return may_leave(has_time ? 0 : longest_ns(s), now_ns, bytes) && is_free() ? leave() : false;
    default: {
      const bool is_sparse = note_time(now_ns(), s.interval_ns);
      return is_sparse || m_parcels >= s.parcels || m_bytes >= k_most_bytes ? leave() : false;
    }
    }
  }

  /// Of parcels behind the first one: for how many bytes of them put() would ask for nothing and let nothing leave.
  std::size_t bytes_without_a_look(const coalescing& s) const noexcept {
    if (s.how != coalescing_kind::adaptive || m_parcels == 0) return 0;
    const std::size_t next = std::min(static_cast<std::size_t>(s.bytes), m_next_look);
    return next > m_bytes ? next - m_bytes - 1 : 0;
  }
  /// This many parcels, of this many bytes, have come for which put() need not be called: see bytes_without_a_look().
  void add(unsigned parcels, std::size_t bytes) noexcept {
    m_parcels += parcels;
    m_bytes += bytes;
  }

  /// Between parcels. True: what was gathered leaves now.
  template <class IsFree>
  bool look(const coalescing& s, std::int64_t now_ns, IsFree is_free) {
    return is_due(s, now_ns, is_free) && leave();
  }
  /// Whether it would.
  template <class IsFree>
  bool is_due(const coalescing& s, std::int64_t now_ns, IsFree is_free) const {
    return m_parcels != 0 && now_ns >= due_ns(s) && (s.how != coalescing_kind::adaptive || is_free());
  }
  /// Everything leaves: the sender has nothing else to do, or is about to wait.
  bool flush() noexcept { return m_parcels != 0 && leave(); }

 private:
  /// True: it is the only one, and none has come for so long.
  bool note_time(std::int64_t now_ns, std::int64_t wait_ns) noexcept {
    const bool is_sparse = m_parcels == 1 && now_ns - m_last_ns > wait_ns;
    m_last_ns = now_ns;
    if (m_parcels == 1) m_first_ns = now_ns;
    return is_sparse;
  }
  /// Whether to look at the wire. The more there is, the less one more parcel's wait matters: so at the first one, and
  /// whenever the bytes have doubled; in a hold also where it should end, as fast as they have come, and behind its end
  /// whenever there is half as much again.
  template <class Now>
  bool may_leave(std::int64_t hold_ns, Now now_ns, std::size_t bytes) noexcept {
    m_is_held = hold_ns != 0;
    m_next_look = 2 * m_bytes;
    if (!m_is_held) return true;
    constexpr std::size_t k_least = 8, k_usual_bytes = 64;
    const std::size_t few = k_least * std::min(bytes, k_usual_bytes);
    const bool is_sparse = note_time(now_ns(), hold_ns);
    const std::int64_t held_ns = m_last_ns - m_first_ns;
    if (m_parcels == 1) {
      m_next_look = m_bytes + few;
    } else if (held_ns >= hold_ns) {
      m_next_look = m_bytes + std::max(m_bytes / 2, few);
      return true;
    } else if (held_ns > hold_ns / 2) {
      const double left = static_cast<double>(hold_ns - held_ns) / static_cast<double>(held_ns);
      m_next_look = m_bytes + std::max(static_cast<std::size_t>(left * static_cast<double>(m_bytes)), few);
    }
    return is_sparse;
  }
  /// When look() can be true first, where something is gathered.
  std::int64_t due_ns(const coalescing& s) const noexcept {
    return m_first_ns + (s.how == coalescing_kind::paper      ? s.interval_ns
                         : s.how == coalescing_kind::adaptive ? longest_ns(s)
                                                              : 0);
  }
  /// A parcel without a hold travels with those that have one, but does not wait for long because of that.
  std::int64_t longest_ns(const coalescing& s) const noexcept {
    constexpr std::int64_t k_short_ns = 100'000;
    return m_hurries ? std::min(s.hold_ns, k_short_ns) : s.hold_ns;
  }
  bool leave() noexcept {
    m_parcels = 0;
    m_bytes = m_next_look = 0;
    m_hurries = false;
    return true;
  }

  std::int64_t m_last_ns =
      std::numeric_limits<std::int64_t>::min() / 2; ///< when the time was asked; more may have come since
  std::int64_t m_first_ns = 0;                      ///< of those gathered
  std::size_t m_bytes = 0, m_next_look = 0;         ///< the latter of `adaptive`: with how many bytes
  unsigned m_parcels = 0;
  bool m_is_held = false; ///< m_next_look is of some that are held back
  bool m_hurries = false; ///< there is one without a hold
};

} // namespace treadle::decide
