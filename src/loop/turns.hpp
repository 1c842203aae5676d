#pragma once

#include <treadle/detail/spinlock.hpp>

#include <cstddef>
#include <cstdint>

namespace treadle::loop {

/// One decision of the process may try something at a time: what one tries is noise in what the others measure.
///
/// Who has to wait has a place in a queue that is ordered as in self-clocked fair queueing (Golestani, INFOCOM 1994):
/// by what had been spent when it came, plus what it needs. So decisions whose tries cost little go often, those whose
/// tries cost much go seldom, and none waits for ever. While the first saves for its try, nobody behind it spends. A
/// turn is a lease in time. Allocates nothing; any thread.
class turns {
 public:
  struct request {
    const void* who;
    double need_ns;        ///< what the try is expected to cost
    std::int64_t lease_ns; ///< how long it may take, and how long a place is kept for who does not ask again
    bool can_pay = true;   ///< now; else it saves
    bool shares = true;    ///< the account of the process; one with its own always can pay, and waits for no saver
  };
  /// True: it is this one's turn, until done(), or until the lease is over and another one asks.
  bool take(const request& wanted, std::int64_t now_ns) noexcept;
  void done(const void* who) noexcept;
  /// It will not ask again.
  void leave(const void* who) noexcept;
  /// Nobody is there: in the child of a fork, whose other threads do not exist.
  void clear() noexcept;

 private:
  struct place {
    const void* who = nullptr;
    double tag = 0;
    bool saves = false, shares = true;
    std::int64_t until_ns = 0;
  };
  static constexpr std::size_t k_places = 32; // others ask again, and find one some day

  void remove(std::size_t i) noexcept;
  place* place_of(const request& wanted) noexcept;

  detail::spinlock m_lock;
  const void* m_holder = nullptr;
  std::int64_t m_until_ns = 0; // of the holder
  double m_clock = 0;          // the tag of who had the latest turn
  place m_waiting[k_places];
  std::size_t m_count = 0;
};

/// The process's own.
inline constinit turns the_turns{};

} // namespace treadle::loop
