#include "base/clock.hpp"
#include "base/fork.hpp"
#include "base/sync/use_count.hpp"
#include "observe/emit.hpp"

#include <treadle/detail/fence.hpp>
#include <treadle/detail/spinlock.hpp>
#include <treadle/detail/use_flag.hpp>

#include <algorithm>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <pthread.h>
#include <sched.h>

namespace treadle::detail {

constinit atomic<std::uint32_t> wanted_events{0};
constinit atomic<std::uint32_t> told_events{0};

struct subscribed_listener {
  event_kind kind;
  std::unique_ptr<event_listener> listener;
  use_count calls{true}; // closed when it has ended, or has thrown
  atomic<std::uint32_t> failed{0};
};

namespace {

using listener_list = std::vector<std::shared_ptr<subscribed_listener>>;

struct listeners final : fork_participant {
  listeners() noexcept { join_forks(); }
  bool try_lock() noexcept override {
    if (!mutex.try_lock()) return false;
    if (lock.try_lock()) return true;
    mutex.unlock();
    return false;
  }
  void unlock() noexcept override {
    lock.unlock();
    mutex.unlock();
  }

  void begin_child() noexcept override; ///< calls by other threads do not end here

  std::mutex mutex; // of changes
  spinlock lock;    // of the pointers; held for the time of a copy
  std::shared_ptr<const listener_list> by_kind[static_cast<int>(event_kind::k_count)];
  std::uint32_t wanted_inside = 0; // see want_events(); of changes, too
};
listeners& all_listeners() {
  static listeners* l = new listeners; // never destroyed: threads may emit until the very end
  return *l;
}

constinit atomic<trace_sink*> the_sink{nullptr};
constinit thread_local bool t_is_over = false; // later events of a thread that ends are in no trace

/// A thread that has told events to a trace.
class tracing_thread {
 public:
  tracing_thread() {
    std::lock_guard guard(all().mutex);
    all().threads.push_back(this);
  }
  ~tracing_thread() {
    if (trace_sink* const sink = m_in_sink.enter(the_sink); sink && sink->owns(m_slot)) sink->thread_ends(m_slot);
    m_in_sink.leave();
    t_is_over = true;
    std::lock_guard guard(all().mutex);
    std::erase(all().threads, this);
  }

  void add(const event_record& record, int worker) noexcept {
    if (trace_sink* const sink = m_in_sink.enter(the_sink)) sink->add(record, worker, m_slot);
    m_in_sink.leave();
  }

  /// Returns when no thread is in the sink that was there before.
  static void leave_sink() noexcept {
    heavy_fence();
    std::lock_guard guard(all().mutex);
    for (const tracing_thread* one : all().threads) {
      while (one->m_in_sink.is_used()) sched_yield(); // a matter of instructions
    }
  }

 private:
  struct registry final : fork_participant {
    registry() noexcept { join_forks(); }
    bool try_lock() noexcept override { return mutex.try_lock(); }
    void unlock() noexcept override { mutex.unlock(); }
    void begin_child() noexcept override { // the trace and the other threads stay with the parent
      the_sink.store(nullptr, order::relaxed);
      forks_are_recorded.store(false, order::relaxed);
      std::erase_if(threads, [](const tracing_thread* one) { return !pthread_equal(one->m_thread, pthread_self()); });
    }

    std::mutex mutex;
    std::vector<tracing_thread*> threads;
  };
  static registry& all() {
    static registry* r = new registry; // never destroyed: threads end later
    return *r;
  }

  const pthread_t m_thread = pthread_self();
  use_flag m_in_sink;
  trace_slot m_slot;
};

thread_local int t_worker_number = -1;
thread_local subscribed_listener* t_calling = nullptr; // the listener that this thread is in

/// A bit for each kind of event that has a listener.
constinit atomic<std::uint32_t> listened_events{0};

/// With the mutex held.
void update_wanted(listeners& all) {
  std::uint32_t bits = 0;
  for (int kind = 0; kind < static_cast<int>(event_kind::k_count); ++kind) {
    if (all.by_kind[kind] && !all.by_kind[kind]->empty()) bits |= 1U << kind;
  }
  listened_events.store(bits, order::relaxed);
  if (the_sink.load(order::relaxed)) bits = bit_of(event_kind::k_count) - 1;
  told_events.store(bits, order::relaxed);
  wanted_events.store(bits | all.wanted_inside, order::relaxed);
}

void listeners::begin_child() noexcept {
  // A limit: where the listener that forks was called from within another one (emit_from_listener()), the call of that
  // other one is not counted in the child.
  wanted_inside = 0; // the workers that wanted events exist only in the parent
  update_wanted(*this);
  for (const auto& list : by_kind) {
    if (!list) continue;
    for (const auto& one : *list) one->calls.reset(one.get() == t_calling);
  }
}

void replace_list(listeners& all, event_kind kind, std::shared_ptr<const listener_list> list) {
  scoped_lock guard(all.lock);
  all.by_kind[static_cast<int>(kind)].swap(list);
}

std::shared_ptr<const listener_list> list_of(event_kind kind) {
  listeners& all = all_listeners();
  scoped_lock guard(all.lock);
  return all.by_kind[static_cast<int>(kind)];
}

void call(subscribed_listener& one, const events::event& e) noexcept {
  if (!one.calls.enter()) return;
  t_calling = &one;
  try {
    const callback_scope inside;
    one.listener->call(e);
  } catch (...) {
    one.failed.store(1, order::relaxed);
    one.calls.close();
  }
  t_calling = nullptr;
  one.calls.leave();
}

template <class Event>
void tell(const listener_list& list, Event e) noexcept {
  e.time_ns = steady_now_ns();
  e.worker = t_worker_number;
  for (const auto& one : list) call(*one, e);
}

template <class Event>
Event parcel_event(const event_record& r) noexcept {
  const parcel_facts facts = parcel_facts::of(r);
  return {{}, r.name, facts.bytes, static_cast<int>(facts.other)};
}

void tell(const listener_list& list, const event_record& r) noexcept {
  switch (r.kind) {
  case event_kind::task_created:
    return tell(list, events::task_created{{}, r.task, r.name});
  case event_kind::task_started:
    return tell(list, events::task_started{{}, r.task, r.name});
  case event_kind::task_suspended:
    return tell(list, events::task_suspended{{}, r.task});
  case event_kind::task_resumed:
    return tell(list, events::task_resumed{{}, r.task});
  case event_kind::task_finished:
    return tell(list, events::task_finished{{}, r.task});
  case event_kind::worker_parked:
    return tell(list, events::worker_parked{});
  case event_kind::worker_woken:
    return tell(list, events::worker_woken{});
  case event_kind::steal:
    return tell(list, events::steal{{}, r.task, static_cast<int>(r.value)});
  case event_kind::promotion:
    return tell(list, events::promotion{{}, r.task});
  case event_kind::parcel_sent:
    return tell(list, parcel_event<events::parcel_sent>(r));
  case event_kind::parcel_handled:
    return tell(list, parcel_event<events::parcel_handled>(r));
  case event_kind::custom:
    return tell(list, events::custom{{}, r.name, r.value});
  case event_kind::sample:
    return tell(list, events::sample{{}, r.name, r.value});
  case event_kind::decision:
  case event_kind::knob:
  case event_kind::input_attached:
  case event_kind::join_made:
  case event_kind::group_joined:
  case event_kind::wait_begun:
  case event_kind::wait_ended:
  case event_kind::state_made:
  case event_kind::memory_used:
  case event_kind::k_count:
    return;
  }
}

} // namespace

void set_worker_number(int number) noexcept { t_worker_number = number; }

void emit(const event_record& record) noexcept {
  if (t_calling) return; // a listener caused it
  if (the_sink.load(order::relaxed) && !t_is_over) {
    thread_local tracing_thread here;
    here.add(record, t_worker_number);
  }
  if ((listened_events.load(order::relaxed) & bit_of(record.kind)) == 0) return;
  if (const auto list = list_of(record.kind)) tell(*list, record);
}

void emit_from_listener(const event_record& record) noexcept {
  subscribed_listener* const calling = std::exchange(t_calling, nullptr);
  emit(record);
  t_calling = calling;
}

void want_events(std::uint32_t bits, bool wanted) noexcept {
  listeners& all = all_listeners();
  std::lock_guard guard(all.mutex);
  all.wanted_inside = wanted ? all.wanted_inside | bits : all.wanted_inside & ~bits;
  update_wanted(all);
}

bool set_trace_sink(trace_sink* sink) noexcept {
  init_asymmetric_fence();
  listeners& all = all_listeners();
  std::lock_guard guard(all.mutex);
  if (sink && the_sink.load(order::relaxed)) return false;
  the_sink.store(sink, order::release); // pairs with use_flag::enter(): what the sink is made of
  if (!sink) tracing_thread::leave_sink();
  update_wanted(all);
  return true;
}

subscribed_listener* subscribe(event_kind kind, event_listener* listener) {
  auto added = std::make_shared<subscribed_listener>();
  added->kind = kind;
  added->listener.reset(listener);
  listeners& all = all_listeners();
  std::lock_guard guard(all.mutex);
  const auto before = list_of(kind);
  auto list = before ? std::make_shared<listener_list>(*before) : std::make_shared<listener_list>();
  list->push_back(added);
  replace_list(all, kind, std::move(list));
  update_wanted(all);
  return added.get();
}

void unsubscribe(subscribed_listener* which) noexcept {
  listeners& all = all_listeners();
  std::shared_ptr<subscribed_listener> ending; // the caller's thread may be in it
  {
    std::lock_guard guard(all.mutex);
    auto list = std::make_shared<listener_list>(*list_of(which->kind));
    const auto found = std::find_if(list->begin(), list->end(), [&](const auto& one) { return one.get() == which; });
    ending = *found;
    list->erase(found);
    replace_list(all, which->kind, std::move(list));
    update_wanted(all);
  }
  ending->calls.close();
  while (!callback_scope::is_inside() && ending->calls.is_used()) sched_yield();
}

std::string_view kept_for_traces(std::string_view name) {
  static auto& mutex = *new fork_safe_mutex;
  static auto& names = *new std::set<std::string, std::less<>>;
  const std::lock_guard guard(mutex);
  const auto known = names.find(name);
  return known != names.end() ? *known : *names.emplace(name).first;
}

bool has_failed(const subscribed_listener* which) noexcept { return which->failed.load(order::relaxed) != 0; }

} // namespace treadle::detail

namespace treadle::events {

void emit(std::string_view name, double value) noexcept {
  if (detail::is_wanted(detail::event_kind::custom))
    detail::emit({.kind = detail::event_kind::custom, .name = name, .value = value});
}

} // namespace treadle::events
