#pragma once

#include "base/sync/park.hpp"
#include "task/idle/idle_workers.hpp"

#include <treadle/detail/spinlock.hpp>

#include <algorithm>
#include <memory>

namespace treadle::detail {

/// How many workers of a pool may be active at a time, and which are. A worker is active while it has a slot; one that
/// runs, looks for work or sleeps for want of it has one. Others are off duty until they are handed a slot.
///
/// All changes are made under a lock, so that no slot is lost or handed out twice; what the workers look at after each
/// task is one relaxed load. docs/design/concurrency.md has the protocol, tests/model/slots_model.cpp explores it.
class slots {
 public:
  slots(idle_workers& idle, unsigned capacity)
      : m_idle(idle),
        m_off_duty(std::make_unique<unsigned[]>(capacity)),
        m_seats(std::make_unique<atomic<std::uint32_t>[]>(capacity)),
        m_quiet(std::make_unique<atomic<std::uint64_t>[]>((capacity + 63) / 64)) {}

  /// More workers are active than may be. While that is so, idle_workers::ask() makes it look as if some worker
  /// wanted work, so that a task that forks or loops comes to look here.
  bool has_surplus() const noexcept { return m_has_surplus.load(order::relaxed) != 0; }
  unsigned wanted() const noexcept { return m_wanted.load(order::relaxed); }
  unsigned active() const noexcept { return m_active.load(order::relaxed); }
  unsigned surplus() const noexcept { return active() > wanted() ? active() - wanted() : 0; }
  /// A slot that no worker has, and none off duty to take it.
  bool lacks_worker() const noexcept { return active() < wanted(); }

  /// By an active worker. True: it has no slot any more, because there was a surplus, and must wait().
  bool leave(unsigned worker) noexcept {
    const scoped_lock guard(m_lock);
    if (m_active.load(order::relaxed) <= m_wanted.load(order::relaxed)) return false;
    m_off_duty[m_off_duty_count++] = worker;
    change_active(-1);
    return true;
  }
  /// By a worker that has left, and cannot stay away: with a slot, be it one too many.
  void come_back(unsigned worker) noexcept {
    {
      const scoped_lock guard(m_lock);
      unsigned* const end = m_off_duty.get() + m_off_duty_count;
      unsigned* const mine = std::find(m_off_duty.get(), end, worker);
      if (mine != end) {
        std::copy(mine + 1, end, mine);
        --m_off_duty_count;
        return change_active(1);
      }
    }
    wait(worker); // it has been handed one meanwhile
  }
  /// By a worker off duty: until it is handed a slot. Relaxed, as it says no more than that: what there is to do is in
  /// queues, which order themselves.
  void wait(unsigned worker) noexcept {
    atomic<std::uint32_t>& seat = m_seats[worker];
    while (seat.load(order::relaxed) == 0) futex_wait(seat, 0);
    seat.store(0, order::relaxed);
  }

  /// By a worker off duty: whether there is nothing that could be taken from it, so that nobody needs to look.
  void set_quiet(unsigned worker, bool is_quiet) noexcept {
    const std::uint64_t bit = std::uint64_t{1} << (worker % 64);
    if (is_quiet)
      m_quiet[worker / 64].fetch_or(bit, order::relaxed);
    else
      m_quiet[worker / 64].fetch_and(~bit, order::relaxed);
  }
  bool is_quiet(unsigned worker) const noexcept {
    return (m_quiet[worker / 64].load(order::relaxed) >> (worker % 64) & 1) != 0;
  }

  /// By an active worker that is about to block in the operating system: another one may use its slot until
  /// take_back(), which never waits, so that there is a surplus afterwards until somebody leaves.
  void lend() noexcept {
    {
      const scoped_lock guard(m_lock);
      change_active(-1);
    }
    hand_out();
  }
  void take_back() noexcept {
    {
      const scoped_lock guard(m_lock);
      change_active(1);
    }
    if (has_surplus()) m_idle.wake_one(); // who sleeps leaves first
  }
  /// For a worker that is to be made. False when all slots have one meanwhile.
  bool take() noexcept {
    const scoped_lock guard(m_lock);
    if (m_active.load(order::relaxed) >= m_wanted.load(order::relaxed)) return false;
    change_active(1);
    return true;
  }

  void set_wanted(unsigned n) noexcept {
    {
      const scoped_lock guard(m_lock);
      m_wanted.store(n, order::relaxed);
      change_active(0);
    }
    hand_out();
    for (unsigned many = surplus(); many > 0 && m_idle.wake_one(); --many) { // who sleeps leaves first
    }
  }

 private:
  /// With the lock.
  void change_active(int by) noexcept {
    const unsigned active = m_active.load(order::relaxed) + static_cast<unsigned>(by);
    m_active.store(active, order::relaxed);
    const std::uint32_t surplus = active > m_wanted.load(order::relaxed);
    if (surplus == m_has_surplus.load(order::relaxed)) return;
    m_has_surplus.store(surplus, order::relaxed); // published by ask()
    surplus != 0 ? m_idle.ask() : m_idle.end_asking();
  }

  void hand_out() noexcept {
    for (;;) {
      unsigned worker;
      {
        const scoped_lock guard(m_lock);
        if (m_off_duty_count == 0 || m_active.load(order::relaxed) >= m_wanted.load(order::relaxed)) return;
        worker = m_off_duty[--m_off_duty_count]; // its memory is still warm
        change_active(1);
      }
      m_seats[worker].store(1, order::relaxed);
      futex_wake(m_seats[worker]);
    }
  }

  idle_workers& m_idle;
  atomic<std::uint32_t> m_has_surplus{0};
  spinlock m_lock;
  atomic<unsigned> m_wanted{0}, m_active{0}; // written with the lock
  std::unique_ptr<unsigned[]> m_off_duty;    // the latest last
  unsigned m_off_duty_count = 0;
  std::unique_ptr<atomic<std::uint32_t>[]> m_seats; // 1: the worker has been handed a slot
  std::unique_ptr<atomic<std::uint64_t>[]> m_quiet; // a bit for each worker
};

} // namespace treadle::detail
