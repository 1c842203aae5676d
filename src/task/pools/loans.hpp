#pragma once

#include "base/clock.hpp"

#include <treadle/detail/atomic.hpp>
#include <treadle/detail/spinlock.hpp>

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

namespace treadle::detail {

/// The slots of a runtime's pools (task/idle/slots.hpp): each pool has a share, and those that are not exclusive lend
/// each other what they have no work for. A slot is lent by the worker that has it and finds nothing to do, called back
/// by the one that queues work where some are lent, and given back by a borrower that would sleep on it. No thread
/// changes its pool: the borrower has spare workers. Everything here takes a lock, and is for where there is nothing to
/// do or too much. docs/design/pools.md; tests/model/loans_model.cpp explores it.
///
/// The sum of what pools may use is always the sum of their shares.
template <class Pool>
class loans {
 public:
  static constexpr unsigned k_no_limit = ~0u;

  /// Before any worker runs. Each pool's share is all of its workers.
  void begin(const std::vector<Pool*>& pools) {
    std::vector<account> accounts;
    for (Pool* pool : pools) accounts.push_back({pool, pool->capacity(), k_no_limit});
    const scoped_lock guard(m_lock);
    m_accounts = std::move(accounts);
  }
  /// From here on each has all of its workers, to do what is left.
  void end() noexcept {
    const scoped_lock guard(m_lock);
    m_has_ended = true;
    for (account& one : m_accounts) set(one, one.pool->capacity());
  }
  /// All loans end. `most`: what each may use together with what it borrows.
  void share_out(std::span<const unsigned> shares, std::span<const unsigned> most) noexcept {
    const scoped_lock guard(m_lock);
    for (std::size_t i = 0; i < m_accounts.size(); ++i) {
      m_accounts[i].most = most[i];
      set(m_accounts[i], shares[i]);
    }
  }

  /// By a worker of `idle` that found nothing to do. True when it has a slot too many now: another pool can use it.
  bool lend(Pool& idle) noexcept {
    Pool* needy = nullptr;
    {
      const scoped_lock guard(m_lock);
      account& lender = of(idle);
      account* const borrower = find_needy(lender);
      if (!borrower) return false;
      move_slot(lender, *borrower);
      needy = borrower->pool;
    }
    needy->add_workers();
    return true;
  }
  bool can_lend(const Pool& idle) noexcept {
    const scoped_lock guard(m_lock);
    return find_needy(of(idle));
  }
  /// By a worker of `idle` that is about to sleep for long. True when it has a slot too many now.
  bool give_back(const Pool& idle) noexcept {
    const scoped_lock guard(m_lock);
    account& borrower = of(idle);
    if (borrower.balance <= 0 || !can_spare(borrower)) return false;
    move_slot(borrower, *std::find_if(m_accounts.begin(), m_accounts.end(), // all balances together are 0
                                      [](const account& one) { return one.balance < 0; }));
    return true;
  }
  /// While a worker of `idle` sleeps, others may ask for help; true when it is theirs to end.
  bool offer(const Pool& idle) noexcept {
    const scoped_lock guard(m_lock);
    if (m_has_ended || !can_spare(of(idle))) return false;
    for (const account& one : m_accounts)
      if (one.pool->lends && one.pool != &idle) one.pool->idle.ask();
    return true;
  }
  void end_offer(const Pool& idle) noexcept {
    const scoped_lock guard(m_lock);
    for (const account& one : m_accounts)
      if (one.pool->lends && one.pool != &idle) one.pool->idle.end_asking();
  }
  /// Work was queued in `busy`, and all its workers have some: takes a slot back, or wakes a worker of another pool to
  /// lend its own. Any thread, but in no signal handler.
  void ask_for_help(Pool& busy) noexcept {
    {
      const scoped_lock guard(m_lock);
      if (m_has_ended) return;
      account& asking = of(busy);
      if (asking.wanted() >= asking.most) return;
      if (asking.balance >= 0) {
        for (const account& one : m_accounts)
          if (one.pool != &busy && can_spare(one) && one.pool->idle.wake_one()) return;
        return;
      }
      move_slot(*std::find_if(m_accounts.begin(), m_accounts.end(), [](const account& one) { return one.balance > 0; }),
                asking);
    }
    busy.add_workers(); // where it had not had all of them yet
  }

  /// Somebody of these pools is busy, and none of their idle workers watches. After end() it looks at `here` only.
  bool lacks_watch(const Pool& here) noexcept {
    const scoped_lock guard(m_lock);
    if (m_has_ended) return !here.is_watched() && here.has_busy_worker();
    bool busy = false;
    for (const account& one : m_accounts) {
      if (!one.pool->lends) continue;
      if (one.pool->is_watched()) return false;
      busy = busy || one.pool->has_busy_worker();
    }
    return busy;
  }
  /// For a watch over `busy`: no slot moves.
  void wake_lender(const Pool& busy) noexcept {
    const scoped_lock guard(m_lock);
    static_cast<void>(std::any_of(m_accounts.begin(), m_accounts.end(), [&](const account& one) {
      return one.pool != &busy && can_spare(one) && one.pool->idle.wake_one();
    }));
  }
  /// Calls nudge(pool) for those that `idle` could lend a slot to, until one says that somebody was nudged.
  template <class Nudge>
  bool nudge_borrowers(const Pool& idle, Nudge nudge) {
    const scoped_lock guard(m_lock);
    if (m_has_ended || !can_spare(of(idle))) return false;
    return std::any_of(m_accounts.begin(), m_accounts.end(), [&](const account& one) {
      return one.pool != &idle && one.pool->lends && one.wanted() < one.most && nudge(*one.pool);
    });
  }

 private:
  struct account {
    Pool* pool;
    unsigned share;
    unsigned most;
    int balance = 0; ///< borrowed, or lent when negative
    unsigned wanted() const noexcept { return static_cast<unsigned>(static_cast<int>(share) + balance); }
  };

  // All with the lock
  account& of(const Pool& pool) noexcept {
    return *std::find_if(m_accounts.begin(), m_accounts.end(), [&](const account& one) { return one.pool == &pool; });
  }
  /// The last one stays for the timers: nobody else would wake in time.
  static bool can_spare(const account& one) noexcept {
    const unsigned n = one.wanted();
    return one.pool->lends && (n > 1 || (n == 1 && one.pool->next_deadline_ns() == k_never_ns));
  }
  /// A pool that has more to do than workers, where `lender` can do without one.
  account* find_needy(const account& lender) noexcept {
    if (m_has_ended || !can_spare(lender)) return nullptr;
    for (account& one : m_accounts)
      if (&one != &lender && one.pool->lends && one.wanted() < one.most && one.pool->lacks_workers()) return &one;
    return nullptr;
  }
  void set(account& one, unsigned share) noexcept {
    if (std::exchange(one.balance, 0) < 0) one.pool->idle.end_asking();
    one.share = share;
    one.pool->share.store(share, order::relaxed);
    one.pool->on_duty.set_wanted(share);
  }
  void move_slot(account& from, account& to) noexcept {
    if (from.balance-- == 0) from.pool->idle.ask(); // so that the one that queues work there comes to ask_for_help()
    if (++to.balance == 0) to.pool->idle.end_asking();
    from.pool->on_duty.set_wanted(from.wanted());
    to.pool->on_duty.set_wanted(to.wanted());
  }

  spinlock m_lock; // of what follows
  std::vector<account> m_accounts;
  bool m_has_ended = false;
};

} // namespace treadle::detail
