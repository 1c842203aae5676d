#pragma once

#include <treadle/detail/config.hpp>

#include <string_view>
#include <type_traits>
#include <utility>

/// Notifications of what the runtime does, while it does it. As long as nobody listens an event costs one load.
namespace treadle::events {

/// What all events tell. Times are of the steady clock. `worker` counts through all pools; -1 on a thread that is none.
struct event {
  std::int64_t time_ns = 0;
  int worker = -1;
};

/// The number of a task tells it from those that exist at the same time; later ones may have it again.
using task_number = std::uint64_t;

struct task_created : event { ///< queued, or made with inputs missing
  task_number task = 0;
  std::string_view name;
};
struct task_started : event { ///< on a worker's stack, also where it is run in place by who waits for it
  task_number task = 0;
  std::string_view name;
};
struct task_suspended : event {
  task_number task = 0;
};
struct task_resumed : event { ///< perhaps on another worker
  task_number task = 0;
};
struct task_finished : event { ///< also where it was cancelled before it started
  task_number task = 0;
};
struct worker_parked : event {}; ///< it found nothing to do and sleeps
struct worker_woken : event {};
struct steal : event { ///< by `worker`
  task_number task = 0;
  int victim = 0;
};
struct promotion : event { ///< a latent fork or part of a loop became a task
  task_number task = 0;
};
struct parcel_sent : event { ///< gathered for another locality, or on its way there
  std::string_view action;   ///< "results" for what answers a call
  std::uint64_t bytes = 0;
  int to = 0;
};
struct parcel_handled : event { ///< one from another locality: executed, or made a task of
  std::string_view action;
  std::uint64_t bytes = 0;
  int from = 0;
};
struct custom : event { ///< of the program: emit()
  std::string_view name;
  double value = 0; ///< NaN when none was given
};
struct sample : event { ///< a counter was read for printing
  std::string_view name;
  double value = 0;
};

} // namespace treadle::events

namespace treadle::detail {

/// In the order of the list below.
enum class event_kind : unsigned char {
  task_created,
  task_started,
  task_suspended,
  task_resumed,
  task_finished,
  worker_parked,
  worker_woken,
  steal,
  promotion,
  parcel_sent,
  parcel_handled,
  custom,
  sample,
  decision, // from here on for traces only
  knob,
  input_attached, // who depends on whom: `task` is the one that depends, or is waited for
  join_made,
  group_joined,
  wait_begun,
  wait_ended,
  state_made,  // that no task completes
  memory_used, // by the running task; in `task` the bytes
  k_count
};
/// The value of wait_begun: a state that is not ready, one that is, or a task_group.
enum class awaited : unsigned char { open_state, ready_state, group };

template <class T, class... Ts>
constexpr unsigned char position_of() noexcept {
  unsigned char position = 0;
  static_cast<void>(((std::is_same_v<T, Ts> ? true : (++position, false)) || ...));
  return position;
}
template <class Event>
inline constexpr event_kind kind_of = static_cast<event_kind>(
    position_of<Event, events::task_created, events::task_started, events::task_suspended, events::task_resumed,
                events::task_finished, events::worker_parked, events::worker_woken, events::steal, events::promotion,
                events::parcel_sent, events::parcel_handled, events::custom, events::sample>());

class event_listener {
 public:
  virtual ~event_listener() = default;
  virtual void call(const events::event& e) = 0;
};
template <class Event, class F>
class event_listener_of final : public event_listener {
 public:
  explicit event_listener_of(F function) : m_function(std::move(function)) {}
  void call(const events::event& e) override { m_function(static_cast<const Event&>(e)); }

 private:
  F m_function;
};

struct subscribed_listener;
subscribed_listener* subscribe(event_kind kind, event_listener* listener); // owns it from the call on
void unsubscribe(subscribed_listener* which) noexcept;
bool has_failed(const subscribed_listener* which) noexcept;

} // namespace treadle::detail

namespace treadle::events {

/// A listener; it is called as long as this object lives. The destructor waits for calls that other threads are in.
/// From inside a listener it does not wait: a listener may end itself, and what it ends elsewhere may be called until
/// that returns.
class subscription {
 public:
  subscription() = default;
  explicit subscription(detail::subscribed_listener* which) noexcept : m_which(which) {}
  subscription(subscription&& other) noexcept : m_which(std::exchange(other.m_which, nullptr)) {}
  subscription& operator=(subscription&& other) noexcept {
    std::swap(m_which, other.m_which);
    return *this;
  }
  ~subscription() { end(); }
  void end() noexcept {
    if (detail::subscribed_listener* ending = std::exchange(m_which, nullptr)) detail::unsubscribe(ending);
  }
  /// It threw an exception, and has not been called since.
  bool failed() const noexcept { return m_which && detail::has_failed(m_which); }

 private:
  detail::subscribed_listener* m_which = nullptr;
};

/// Calls `listener(event)` for every event of a type, `on<events::steal>([](const events::steal& s) { ... })`, on the
/// thread where it happens, any number of threads at a time. A listener is short and does not block; on a worker,
/// what would wait for other tasks throws std::system_error (resource_deadlock_would_occur). The events that it causes
/// itself are not told. Views in an event are good during the call.
template <class Event, class F>
[[nodiscard]] subscription on(F listener) {
  static_assert(detail::kind_of<Event> != detail::event_kind::k_count,
                "one of the events of treadle/observe/events.hpp");
  return subscription(
      detail::subscribe(detail::kind_of<Event>, new detail::event_listener_of<Event, F>(std::move(listener))));
}

/// Tells an event of the program's own, for listeners and traces. `name` must live as long as the trace, a literal for
/// example.
void emit(std::string_view name, double value = __builtin_nan("")) noexcept;

} // namespace treadle::events
