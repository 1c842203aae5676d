#pragma once

#include <treadle/detail/atomic.hpp>
#include <treadle/detail/dependences.hpp>
#include <treadle/observe/events.hpp>

#include <bit>

namespace treadle::detail {

/// The same as wanted_events without want_events().
extern atomic<std::uint32_t> told_events;

constexpr std::uint32_t bit_of(event_kind kind) noexcept { return 1U << static_cast<unsigned>(kind); }
static_assert(bit_of(event_kind::input_attached) == k_dependence_bit);

/// The one load that an event costs.
inline bool is_wanted(event_kind kind) noexcept {
  return TREADLE_UNLIKELY((wanted_events.load(order::relaxed) & bit_of(kind)) != 0);
}

inline bool is_told(event_kind kind) noexcept { return (told_events.load(order::relaxed) & bit_of(kind)) != 0; }

/// What there is to tell, in the form that traces keep. Which fields mean something depends on the kind.
struct event_record {
  event_kind kind = event_kind::custom;
  std::uint64_t task = 0;
  std::string_view name = {}; ///< lives for ever
  double value = 0;           ///< or the victim of a steal; NaN when there is none

  /// The second task of an event that has two, kept in `value`.
  static double as_value(std::uint64_t other) noexcept { return std::bit_cast<double>(other); }
  std::uint64_t other_task() const noexcept { return std::bit_cast<std::uint64_t>(value); }
};

/// The value of memory_used.
struct memory_use {
  std::int64_t home;  ///< a domain; -1: not known
  std::int64_t ticks; ///< that it took to find out
  double as_value() const noexcept {
    return event_record::as_value(static_cast<std::uint64_t>(ticks << 16) | static_cast<std::uint16_t>(home));
  }
  static memory_use of(const event_record& record) noexcept {
    const std::uint64_t packed = record.other_task();
    return {static_cast<std::int16_t>(packed & 0xffff), static_cast<std::int64_t>(packed >> 16)};
  }
};

/// What `task` and `value` of parcel_sent and parcel_handled hold. The record is told at the end.
struct parcel_facts {
  std::uint32_t bytes;
  std::int64_t ticks;   ///< that it took; up to 2^32
  unsigned other;       ///< locality, below 2^20: to, or from
  std::uint64_t number; ///< among all from the one to the other, which they arrive in the order of; below 2^44

  event_record as_record(event_kind kind, std::string_view action) const noexcept {
    const auto took = static_cast<std::uint64_t>(ticks < 0 ? 0 : ticks >= k_most_ticks ? k_most_ticks : ticks);
    return {kind, took << 32 | bytes, action, event_record::as_value(std::uint64_t{other} << 44 | number)};
  }
  static parcel_facts of(const event_record& record) noexcept {
    const std::uint64_t packed = record.other_task();
    return {static_cast<std::uint32_t>(record.task), static_cast<std::int64_t>(record.task >> 32),
            static_cast<unsigned>(packed >> 44), packed & ((std::uint64_t{1} << 44) - 1)};
  }

 private:
  static constexpr std::int64_t k_most_ticks = 0xffff'ffff;
};

/// For a part of the library that looks at events itself, where they arise: from now on, or no more, they are wanted.
void want_events(std::uint32_t bits, bool wanted) noexcept;

/// A trace wants forks and loops to make tasks of all that they could.
extern atomic<bool> forks_are_recorded;
/// Called by who has changed it; set by who has to know.
extern atomic<void (*)()> fork_recording_changed;

/// Tells it to listeners and to the trace. Does not suspend.
TREADLE_NOINLINE void emit(const event_record& record) noexcept;
/// The same also from inside a listener, which is told its own event as well: for what happens at most once.
void emit_from_listener(const event_record& record) noexcept;

/// A copy that lives for ever, one of each name. Throws std::bad_alloc.
std::string_view kept_for_traces(std::string_view name);

/// For as long as code of the program is called, a listener or a rule. Who ends another one from inside does not wait
/// for it: that one might be waiting for this one.
class callback_scope {
 public:
  callback_scope() noexcept { ++s_depth; }
  ~callback_scope() { --s_depth; }
  callback_scope(const callback_scope&) = delete;
  callback_scope& operator=(const callback_scope&) = delete;
  static bool is_inside() noexcept { return s_depth > 0; } ///< the calling thread

 private:
  static inline constinit thread_local int s_depth = 0;
};

/// The number of the calling thread as a worker, through all pools; -1 when it is none.
void set_worker_number(int number) noexcept;

/// What the address of an object says about which task it is.
inline std::uint64_t number_of(const void* task) noexcept { return reinterpret_cast<std::uintptr_t>(task); }

/// Where a trace keeps something for each thread.
struct trace_slot {
  std::uint64_t owner = 0; ///< whose `data` is, by number
  void* data = nullptr;
};
/// A trace: keeps the records.
class trace_sink {
 public:
  /// By a thread, with a slot of its own.
  virtual void add(const event_record& record, int worker, trace_slot& here) noexcept = 0;
  /// By a thread that ends, where the slot is this trace's.
  virtual void thread_ends(trace_slot& /*here*/) noexcept {}
  bool owns(const trace_slot& slot) const noexcept { return slot.owner == m_number; }

 protected:
  ~trace_sink() = default;
  static std::uint64_t next_number() noexcept {
    static constinit atomic<std::uint64_t> last{0};
    return last.fetch_add(1, order::relaxed) + 1;
  }
  const std::uint64_t m_number = next_number(); ///< among all of the process
};
/// Null: none. Returns when no thread is in the one before. False, and nothing done, when there is one already.
bool set_trace_sink(trace_sink* sink) noexcept;

} // namespace treadle::detail
