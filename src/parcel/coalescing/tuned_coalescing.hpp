#pragma once

#include "decide/coalescing_choices.hpp"
#include "decide/coalescing_start.hpp"
#include "loop/reasons.hpp"

#include <treadle/detail/spinlock.hpp>

#include <cstdint>
#include <optional>
#include <string>

namespace treadle::detail {

/// What a sender knows of itself, all since its beginning.
struct sender_totals {
  std::uint64_t parcels = 0, messages = 0; ///< of the action, for one destination, or several
  double message_ns = 0;                   ///< that it takes the sender to send one, at the moment
  double network_ns = 0, awake_ns = 0;     ///< of all workers: the time spent on messages, and all but sleep
  std::uint64_t bytes = 0;                 ///< of the parcels
  double waited_ns = 0;    ///< until there was room, by all who send to them; large ones wait while they leave
  double destinations = 1; ///< of late
};

/// The settings that are left open for parcels of an action for one destination, or for several, as one decision. One
/// thread at a time, beside explain(); a thread that finds it locked changes nothing.
class tuned_coalescing final : loop::explained {
 public:
  /// `name`: of the instance. `asked`: `adaptive` or `paper_adaptive`. `begins_at`: what was found for others like it.
  tuned_coalescing(std::string name, const coalescing& asked, unsigned workers,
                   std::optional<tune::arm> begins_at = {});

  /// At the beginning, and when this many parcels have been sent as it said before: what is in force from now on, if
  /// that changes. `workers`: that could take tasks.
  std::optional<coalescing> look(const sender_totals& now, std::int64_t now_ns, unsigned workers);
  std::uint64_t parcels_at_next_look() const noexcept { return m_next_look; }
  static constexpr std::uint64_t k_parcels_per_look = 512; ///< of `adaptive`, with a choice that it has looked at
  /// The best so far; none while it is not known where the search begins, or messages are not felt.
  std::optional<tune::arm> found() const {
    return m_known->start || !m_is_felt ? std::nullopt : std::optional(m_known->search.best());
  }
  /// What the program calls an event has happened. Events before the first look are ignored.
  void event() noexcept { m_event = m_has_begun; }

 private:
  /// Sending is a part of the sender's time: what a message costs, for each parcel, from the first share on, and until
  /// it is less than the second. Below, nothing can be gained that would be felt.
  static constexpr double k_felt = 0.02, k_not_felt = 0.01;
  static constexpr double k_pause = 8; ///< times as long as before
  static constexpr std::uint64_t k_parcels_per_trigger_look = 64;
  static constexpr std::uint64_t k_most_to_first_look = 32;
  static constexpr unsigned k_most_interrupted = 8; ///< tries of the start that cannot be measured
  static constexpr std::uint64_t k_parcels_until_told = std::uint64_t{1} << 62U; ///< of an event

  struct known {
    loop::context of;
    loop::state search;
    std::optional<decide::coalescing_start> start; ///< until it is known where the search begins
    unsigned interrupted = 0;                      ///< tries of the start that could not be measured
  };
  struct spell {
    sender_totals before, now;
    double ns;
    tune::arm at; ///< was in force
    double parcels() const noexcept { return static_cast<double>(now.parcels - before.parcels); }
  };
  class names;

  void explain(std::vector<decision_report>& to) override;
  bool try_lock() noexcept override { return m_lock.try_lock(); }
  void unlock() noexcept override { m_lock.unlock(); }
  known begin(unsigned workers);
  bool is_ours() const noexcept { return m_asked.how == coalescing_kind::adaptive; }
  std::uint64_t parcels_to_next_look() const noexcept;
  std::uint64_t parcels_to_first_look() const noexcept; ///< with another choice, or after a pause
  bool is_due(const sender_totals& now, std::int64_t now_ns) noexcept;
  bool is_felt(double share) noexcept;
  double own_ns(const spell& s, double holds_at_once) const noexcept;
  bool is_usual(const spell& s) noexcept;
  void report(const spell& s);
  void end_start();
  void interrupt(const spell& last);
  tune::arm next(std::int64_t now_ns);

  const coalescing m_asked;
  const decide::coalescing_choices m_choices;
  const std::optional<tune::arm> m_begins_at;
  loop::decision m_decision;
  loop::by_context<known> m_contexts;
  known* m_known = nullptr;
  tune::arm m_at;
  sender_totals m_last; ///< at the last look
  std::int64_t m_last_ns = 0;
  bool m_has_begun = false;
  bool m_is_felt = true, m_event = false;
  double m_usual_ns = 0; ///< that a parcel takes; 0: not known yet
  bool m_was_unusual = false;
  double m_left_out_ns = 0; ///< since the last look that counted
  /// Messages were not felt any more, maybe because of this choice. It is reported if they are felt in the next look,
  /// with the choice of the beginning.
  std::optional<spell> m_rare;
  std::uint64_t m_next_look = 0;
  spinlock m_lock; ///< of what explain() reads

  loop::explanation m_asked_for{*this};
};

} // namespace treadle::detail
