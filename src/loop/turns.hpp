#pragma once

#include <treadle/detail/spinlock.hpp>

#include <cstddef>
#include <cstdint>

namespace treadle::loop {

/// One decision of the process may try something at a time: what one tries is noise in what the others measure. Turns
/// are leases, and go round among those that want one. Allocates nothing; any thread.
class turns {
 public:
  /// True: it is this one's turn, until done(), or until the lease is over and another one asks. Those that are told to
  /// wait have a place in a queue, and lose it when they do not ask again within a second.
  bool take(const void* who, std::int64_t now_ns, std::int64_t lease_ns) noexcept;
  void done(const void* who) noexcept;
  /// It will not ask again.
  void leave(const void* who) noexcept;

 private:
  struct place {
    const void* who = nullptr;
    std::int64_t until_ns = 0;
  };
  static constexpr std::int64_t k_patience_ns = 1'000'000'000;
  static constexpr std::size_t k_places = 32; // others ask again, and find one some day

  void remove(std::size_t i) noexcept;

  detail::spinlock m_lock;
  place m_holder;
  place m_waiting[k_places]; // the first is next
  std::size_t m_count = 0;
};

/// The process's own.
inline constinit turns the_turns{};

} // namespace treadle::loop
