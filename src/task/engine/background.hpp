#pragma once

#include "base/clock.hpp"
#include "base/sync/use_count.hpp"

#include <treadle/detail/atomic.hpp>
#include <treadle/detail/spinlock.hpp>

#include <cstdint>

namespace treadle::detail {

/// Who looks for messages. While one that waits for them is at it, others find nothing: they would take the core that
/// it or the sender runs on.
enum class poller : std::uint8_t {
  idle,   ///< a worker without work, or who stands in for one
  waiter, ///< a thread outside, which cannot go on before
};

/// What workers without work look for beside tasks: messages of other processes.
class background_work {
 public:
  /// By one that begins to look, or ends. Any number of them.
  virtual void begin_polling(poller who) noexcept = 0;
  virtual void end_polling(poller who) noexcept = 0;
  /// True when something was there; it may have left tasks with the calling worker.
  virtual bool poll(poller who) noexcept = 0;
  /// By who is about to wait: perhaps for an answer to what has been held back.
  virtual void flush() noexcept = 0;
  /// How long after a message the next one is looked for by who waits.
  virtual std::int64_t lookout_ns() const noexcept = 0;

 protected:
  ~background_work() = default;
};

/// For all runtimes of the process; null: none. Returns when no worker uses the one before any more.
void set_background_work(background_work* work) noexcept;

/// While somebody looks for messages, and maybe for tasks.
class background_polling {
 public:
  explicit background_polling(poller who) noexcept : m_who(who) {
    if (TREADLE_LIKELY(s_work.load(order::relaxed) == nullptr)) return;
    m_work = enter();
    if (m_work) m_work->begin_polling(who);
  }
  ~background_polling() {
    if (TREADLE_LIKELY(!m_work)) return;
    m_work->end_polling(m_who);
    leave();
  }
  background_polling(const background_polling&) = delete;
  background_polling& operator=(const background_polling&) = delete;

  bool poll() noexcept { return TREADLE_UNLIKELY(m_work != nullptr) && m_work->poll(m_who); }

  /// By a thread outside that is about to sleep until `is_over`: it looks for messages itself for some microseconds,
  /// because what it waits for may be the answer to one.
  template <class F>
  static void look_until(F is_over) noexcept {
    if (TREADLE_LIKELY(s_work.load(order::relaxed) == nullptr)) return;
    background_polling messages(poller::waiter);
    if (!messages.m_work) return;
    const std::int64_t patience = ns_to_ticks(messages.m_work->lookout_ns());
    patient_spin spin;
    for (std::int64_t end = ticks_now() + patience; !is_over() && ticks_now() < end;) {
      if (messages.poll())
        end = ticks_now() + patience;
      else
        spin.wait();
    }
  }
  /// By one that is about to wait and has other work to do.
  static void flush() noexcept {
    if (TREADLE_UNLIKELY(s_work.load(order::relaxed) != nullptr)) flush_what_is_there();
  }

 private:
  friend void set_background_work(background_work* work) noexcept;
  static background_work* enter() noexcept; ///< null: there is none, else leave() follows
  static void leave() noexcept { s_users.leave(); }
  static void flush_what_is_there() noexcept;
  static inline constinit atomic<background_work*> s_work{nullptr};
  static inline constinit use_count s_users{false}; // of what s_work says
  /// Of the process when s_work was set: in a child of it, that is nobody's.
  static inline constinit atomic<std::uint32_t> s_forks{0};

  background_work* m_work = nullptr;
  const poller m_who;
};

} // namespace treadle::detail
