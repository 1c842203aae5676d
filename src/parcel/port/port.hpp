// What this process sends to others, and what arrives: outboxes, and who looks for messages when.
#pragma once

#include "decide/coalescing.hpp"
#include "observe/emit.hpp"
#include "parcel/port/gathered_bytes.hpp"
#include "parcel/port/lane.hpp"
#include "parcel/port/polling_turns.hpp"
#include "parcel/transport/transport.hpp"
#include "task/engine/background.hpp"

#include <treadle/detail/atomic.hpp>
#include <treadle/detail/parcel_run.hpp>
#include <treadle/detail/spinlock.hpp>
#include <treadle/localities/action.hpp>

#include <cstdint>
#include <deque>
#include <exception>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <vector>

namespace treadle::detail {

/// Who uses a port: what is done with what arrives, and what is to be known of parcels. Gets each message once, those
/// from one sender in order. Must not wait; what it throws then ends the port.
class parcel_receiver : public message_sink {
 public:
  /// Nothing is sent or received any more. Once.
  virtual void failed(std::exception_ptr why) noexcept = 0;
  /// Of parcels with this number.
  virtual coalescing how_to_coalesce(std::uint32_t lane) const = 0;
  virtual std::string name_of_lane(std::uint32_t lane) const = 0;

 protected:
  ~parcel_receiver() = default;
};

/// Sends and receives over a transport. Messages are handled by workers without work, which look for them as they look
/// for tasks, and by a thread of the port while there are none; by one of them at a time.
class parcel_port final : message_sink {
 public:
  /// `first_number`: in events and traces the parcels to each destination are numbered from the next one on.
  parcel_port(std::unique_ptr<transport> over, parcel_receiver& receiver, std::uint64_t first_number = 0);
  ~parcel_port();
  /// From now on messages are handled. Once.
  void start();
  parcel_port(const parcel_port&) = delete;
  parcel_port& operator=(const parcel_port&) = delete;

  unsigned rank() const noexcept { return m_transport->rank(); }
  unsigned size() const noexcept { return static_cast<unsigned>(m_outboxes.size()); }
  std::int64_t lookout_ns() const noexcept { return m_transport->lookout_ns(); }
  /// Nothing is sent or handled from now on, because of the exception that is being handled. Any thread.
  void fail() noexcept;

  /// Any thread. Blocks the task while more than `k_most_kept` bytes wait for room at the transport, unless it is a
  /// handler that sends. Throws what the transport has failed with.
  /// `lane`: of which kind the parcel is; small numbers. `owner`: whose bytes these are, for the port to take when it
  /// has to keep them.
  void send(unsigned to, std::span<const std::byte> parcel, std::uint32_t lane,
            std::vector<std::byte>* owner = nullptr);
  /// The same for a parcel that has a second part, which is sent from where it is. Waits until it has left; in a
  /// handler it is copied instead. May take the first part away.
  void send_large(unsigned to, std::vector<std::byte>& first, std::span<const std::byte> rest, std::uint32_t lane);
  /// The same for a parcel of few bytes that is written where it is gathered: between begin() and end(), by who must
  /// not wait there, or throw. Nothing has begun where there is no room: send() waits for it.
  parcel_place begin(unsigned to, std::uint32_t number, std::size_t bytes);
  void end(const parcel_place& written, std::uint32_t action, std::size_t bytes);

  /// What has been gathered leaves: the caller has nothing else to do, or is about to wait.
  void flush() noexcept { flush(leaving::all); }

  // As the transport's, by those that background_work names:
  void begin_polling(poller who) noexcept; ///< flushes, too
  void end_polling(poller who) noexcept;
  /// True when something has arrived.
  bool poll(poller who) noexcept;

  static constexpr std::size_t k_most_kept = std::size_t{2} << 20U; // for each destination

  /// Of parcel_sent and parcel_handled: when what is told begins, in ticks; 0: nobody wants to know.
  static std::int64_t begin_telling(event_kind kind) noexcept { return is_wanted(kind) ? ticks_now() : 0; }
  /// `number`: of the parcel, among all from the one to the other.
  void tell(event_kind kind, std::int64_t begin_ticks, std::uint32_t lane, unsigned other, std::uint64_t number,
            std::size_t bytes) const noexcept;

  struct counts {
    std::uint64_t parcels = 0, messages = 0, bytes = 0;
    sampled_gaps gaps;
  };
  counts sent(std::uint32_t lane) noexcept; ///< so far, to all
  std::uint32_t lanes() const noexcept { return m_lanes.load(order::relaxed); }
  std::uint64_t parcels_sent(std::uint32_t from_lane) noexcept; ///< of this lane and those behind it

  /// The receiver says something else of parcels than before. What has been found out of those begins again.
  void settings_changed();
  /// For coalescing_trigger::event.
  void event(std::uint32_t lane) noexcept;

  /// Time spent so far, by all threads; from samples.
  struct times {
    double sending_ns = 0; ///< messages, without putting them together, by those who do not look for others
    double looking_ns = 0; ///< for messages, executing what they ask for directly, and sending meanwhile
  };
  times spent() const noexcept;

 private:
  enum class leaving { due, all };
  /// That had no room. `rest` is its sender's, who waits.
  struct kept_message {
    std::vector<std::byte> first;
    std::span<const std::byte> rest = {};
    bool* has_left = nullptr; ///< of who waits, with the lock; null: nobody does
    message_parts parts() const noexcept { return {first, rest}; }
  };
  /// What is on its way to one destination, in its order: messages that had no room, then what is being gathered.
  struct outbox {
    mutable spinlock lock;
    unsigned to = 0;
    lane* written = nullptr; ///< of the parcel between begin() and end()
    decide::gathering gathers;
    std::vector<std::unique_ptr<lane>> lanes; ///< none where nothing was sent
    lane* first = nullptr;                    ///< that of the first parcel that is gathered
    gathered_bytes gathered;
    std::deque<kept_message> kept;
    std::size_t kept_bytes = 0;
    std::uint64_t parcels = 0, messages = 0;
    std::int64_t message_ticks = 0, sending_ticks = 0; ///< that one takes at the moment; that all have taken
    atomic<std::int64_t> waited_ns{0};                 ///< by senders, until there was room
    atomic<std::uint32_t> holds{0};                    ///< there is something

    atomic<parcel_run*> run{nullptr};  ///< an open one, of a thread
    atomic<std::int64_t> run_began{0}; ///< in ticks
    /// Small parcels since another thread has sent one, or a run has ended too early; with how many a run begins. One
    /// that another thread ends costs microseconds, so there are fewer of them the more often this happens.
    static constexpr unsigned k_least_patience = 16, k_most_patience = 4096;
    unsigned streak = 0, patience = k_least_patience;
    const void* sender = nullptr; ///< who sends those of the streak
  };
  /// What is found out for parcels of one kind and all destinations together, where there are several: of each alone
  /// there may never be enough. A destination that gets many, and half of all, is decided for on its own then.
  struct shared_choice {
    std::unique_ptr<tuned_coalescing> tuned; ///< made at the first look
    sender_totals totals;                    ///< at the last look
    std::uint64_t told = 0, next_look = 0;   ///< parcels
    coalescing asked, how;                   ///< as in a lane
  };
  /// The lock of what is sent to one destination, for who wants to know or change what has been gathered.
  class locked {
   public:
    explicit locked(outbox& box) : m_box(box) {
      m_box.lock.lock();
      end_run(m_box);
    }
    ~locked() { m_box.lock.unlock(); }
    locked(const locked&) = delete;
    locked& operator=(const locked&) = delete;

   private:
    outbox& m_box;
  };
  class thread_runs;

  void arrived(unsigned from, std::span<const std::byte> message) override;
  std::unique_ptr<message_in_pieces> begin_pieces(unsigned from, std::span<const std::byte> first,
                                                  std::size_t bytes) override;
  void end_pieces(unsigned from, message_in_pieces& whole) override;
  void check() const {
    if (TREADLE_UNLIKELY(m_failed.load(order::acquire) != 0)) std::rethrow_exception(m_failure);
  }
  /// Sends what has been kept first. A handler cannot wait: what it sends is kept, however much that is. It is bounded
  /// by what was asked of it.
  bool has_room(outbox& box) {
    if (TREADLE_LIKELY(box.kept.empty())) return true;
    send_kept(box);
    return box.kept_bytes < k_most_kept || callback_scope::is_inside();
  }
  void send_or_wait(unsigned to, std::span<const std::byte> parcel, std::uint32_t number,
                    std::vector<std::byte>* owner);
  // With the lock of the box
  static void note_sender(outbox& box) noexcept;
  void open_run(outbox& box, const lane& of, std::uint32_t action, std::size_t bytes);
  static void end_run(outbox& box) {
    if (box.run.load(order::relaxed)) end_open_run(box);
  }
  static void end_open_run(outbox& box);
  lane& lane_of(outbox& box, std::uint32_t number) {
    if (TREADLE_LIKELY(number < box.lanes.size()) && TREADLE_LIKELY(box.lanes[number] != nullptr))
      return *box.lanes[number];
    return make_lane(box, number);
  }
  lane& make_lane(outbox& box, std::uint32_t number);
  void apply_settings(lane& of, const coalescing& asked) const;
  bool shares_choice(const coalescing& asked) const noexcept {
    return asked.how == coalescing_kind::adaptive && m_outboxes.size() > 2;
  }
  /// A parcel comes; true: it leaves now, with all that were gathered.
  bool put(outbox& box, lane& of, std::size_t bytes) {
    ++box.parcels;
    of.gaps.note(++of.parcels);
    of.bytes += bytes;
    const bool is_handler = of.how.hold_ns > 0 && callback_scope::is_inside(); // of one who looks for messages
    return box.gathers.put(
        of.how, is_handler, [] { return ticks_to_ns(ticks_now()); }, bytes,
        [&] { return box.kept.empty() && m_transport->is_free(box.to); });
  }
  void add(outbox& box, lane& of, std::span<const std::byte> parcel, std::vector<std::byte>* owner);
  bool begin_large(outbox& box, std::vector<std::byte>& first, std::span<const std::byte> rest, std::uint32_t number,
                   bool& is_added, bool& has_left);
  bool push_large(outbox& box, const bool& has_left);
  void send_message(outbox& box, lane& of, std::span<const std::byte> message, std::vector<std::byte>* owner);
  void begin_gathering(outbox& box, lane& first);
  template <class Send>
  bool transmit(outbox& box, Send send);
  void keep(outbox& box, kept_message message);
  void send_gathered(outbox& box);
  static bool wants_look(const lane& of) noexcept { return of.parcels >= of.next_look; }
  void note_holding(outbox& box) {
    if (box.holds.load(order::relaxed) == 0) begin_holding(box);
  }
  void begin_holding(outbox& box);
  bool is_due(const outbox& box);
  bool send_kept(outbox& box);
  bool flush_with_lock(outbox& box, leaving what);

  bool flush(outbox& box, leaving what);
  void look_at(outbox& box, lane& of) noexcept;
  static sender_totals totals(const outbox& box, const lane& of) noexcept;
  template <class F>
  void for_each_lane(std::uint32_t number, F what);
  void decide(outbox& box, lane& of);
  std::optional<tune::arm> decide_for_all(outbox& box, lane& of, const sender_totals& now, const coalescing& asked);
  void look_at_all(shared_choice& all, std::uint32_t number, const coalescing& asked);
  std::uint64_t parcels_until_told(const shared_choice& all) const noexcept;
  bool look() noexcept;
  bool flush(leaving what) noexcept;
  void run();

  const std::unique_ptr<transport> m_transport;
  parcel_receiver& m_receiver;
  std::vector<outbox> m_outboxes;
  atomic<std::uint32_t> m_sleeps{0};  ///< the thread, until a message comes
  atomic<std::uint32_t> m_waiters{0}; ///< that look for messages: others need not
  polling_turns m_turns;
  std::uint32_t m_looks = 0;               ///< by who has the turn
  atomic<std::int64_t> m_looking_ticks{0}; ///< the same
  atomic<std::uint32_t> m_lanes{0};        ///< how many there are in any outbox
  spinlock m_tunes;                        ///< of what is found out
  std::vector<shared_choice> m_shared;     ///< by lane
  atomic<std::uint32_t> m_exits{0}, m_failed{0};
  spinlock m_fails;
  std::exception_ptr m_failure; ///< the first, before m_failed
  std::thread m_waits;          ///< from start() on
};

} // namespace treadle::detail
