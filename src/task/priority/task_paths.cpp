#include "task/priority/task_paths.hpp"

#include "base/clock.hpp"
#include "base/fork.hpp"
#include "base/rng.hpp"
#include "decide/bottom_levels.hpp"
#include "task/timing.hpp"

#include <treadle/detail/latent.hpp>

#include <mutex>
#include <new>
#include <utility>
#include <vector>

namespace treadle::detail {

static constexpr decide::task_number k_short = decide::bottom_levels::k_short;

/// What is known of a task that runs, or is suspended, on a stack; or of a thread outside of the runtime.
struct running_path {
  decide::bottom_levels::creator makes;
  const job* task = nullptr; // null for a thread
  std::uint32_t period = 0;  // of learning, in which it was made or renewed
  bool is_short = false;     // of a short task, and of all that it runs in place: nothing is learned of them
  bool is_measured = false;
  std::int64_t began = 0; // in ticks: since when it has been running, as far as that is not in `ran`; 0: it does not
  std::int64_t ran = 0;
  running_path* outer = nullptr;
  const job* next = nullptr;                 // what the caller makes next, as far as it has inputs ...
  std::vector<decide::task_number> inputs{}; // ... which are these

  void begin(const job& of, running_path* within, std::uint32_t now) noexcept;
  void add_inputs(const job& made) noexcept;
  /// Whose time it is: what short tasks take is time of the one that runs them.
  running_path* timed() noexcept { return is_short ? outer : this; }
  void stop(std::int64_t now) noexcept {
    if (is_measured && began != 0) ran += now - std::exchange(began, 0);
  }
  void go_on(std::int64_t now) noexcept {
    if (is_measured) began = now;
  }
  float own(std::int64_t now) const noexcept {
    return is_measured ? static_cast<float>(ran + (began != 0 ? now - began : 0)) : -1;
  }
};

constinit atomic<bool> paths_are_learned{false};
constinit atomic<std::int64_t> short_task_ns{timing::k_short_task};

namespace {

/// From the first pool on, for ever: tasks may end late.
struct learned final : fork_participant {
  learned() noexcept { join_forks(); }
  bool try_lock() noexcept override {
    if (!pools_lock.try_lock()) return false;
    if (levels.try_lock()) return true;
    pools_lock.unlock();
    return false;
  }
  void unlock() noexcept override {
    levels.unlock();
    pools_lock.unlock();
  }
  void begin_child() noexcept override { // the one that wants events there begins anew
    pools = 0;
    paths_are_learned.store(false, order::relaxed);
  }

  decide::bottom_levels levels;
  spinlock pools_lock;
  unsigned pools = 0;               // that go by levels
  atomic<std::uint32_t> periods{0}; // in which there were any
};
constinit atomic<learned*> the_learned{nullptr};

// acquire: pairs with where it is made
learned& what_is_learned() noexcept { return *the_learned.load(order::acquire); }
decide::bottom_levels& levels() noexcept { return what_is_learned().levels; }
std::uint32_t present_period() noexcept { return what_is_learned().periods.load(order::relaxed); }

constexpr std::uint32_t k_seen = bit_of(event_kind::task_created) | bit_of(event_kind::task_started) |
                                 bit_of(event_kind::task_suspended) | bit_of(event_kind::task_resumed) |
                                 bit_of(event_kind::task_finished) | bit_of(event_kind::input_attached) |
                                 bit_of(event_kind::join_made) | bit_of(event_kind::wait_begun);

// Records that are not used now; their lists keep their memory. None of the functions below suspends, so the thread
// stays the same within each. Tasks may be made by what is destroyed last in a thread: then there are no records.
constexpr unsigned k_free_max = 64;
constinit thread_local running_path* t_free = nullptr;
constinit thread_local unsigned t_free_count = 0;
constinit thread_local running_path* t_outside = nullptr; // of a thread that is on no stack: its innermost record
constinit thread_local bool t_has_ended = false;

struct end_of_thread {
  ~end_of_thread() {
    t_has_ended = true;
    while (running_path* const one = t_free) {
      t_free = one->outer;
      delete one;
    }
    t_free_count = 0;
    while (running_path* const one = t_outside) {
      t_outside = one->outer;
      delete one;
    }
  }
};

/// From now on this thread has records to delete in the end; false when that is over.
TREADLE_NOINLINE bool keeps_paths() noexcept {
  if (t_has_ended) return false;
  thread_local end_of_thread here;
  static_cast<void>(&here);
  return true;
}

running_path* new_path() noexcept { return keeps_paths() ? new (std::nothrow) running_path : nullptr; }

running_path* take_path() noexcept {
  running_path* const one = t_free;
  if (TREADLE_UNLIKELY(!one)) return new_path();
  t_free = one->outer;
  --t_free_count;
  return one;
}

void give_path(running_path* one) noexcept {
  if (TREADLE_UNLIKELY(t_free_count == k_free_max || (!t_free && !keeps_paths()))) {
    delete one;
    return;
  }
  one->outer = std::exchange(t_free, one);
  ++t_free_count;
}

/// Of the task that runs on the stack, which began while nothing was learned.
TREADLE_NOINLINE void adopt_running(task_stack& on, std::uint32_t now) noexcept {
  running_path* const path = take_path();
  if (!path) return;
  path->begin(*on.running->task, on.paths, now);
  on.paths = path;
}

/// Learning has ended and begun again since: tasks have ended unseen, and of the others nobody knows how long they have
/// run.
TREADLE_NOINLINE void renew(task_stack& of, std::uint32_t now) noexcept {
  const running_task* running = of.running;
  for (running_path** next = &of.paths; running_path* const one = *next;) {
    const running_task* its = running;
    while (its && its->task != one->task) its = its->outer;
    if (!its) {
      *next = one->outer;
      give_path(one);
      continue;
    }
    running = its->outer;
    one->period = now;
    one->is_measured = false;
    next = &one->outer;
  }
  if (of.running && !(of.paths && of.paths->task == of.running->task)) adopt_running(of, now);
}

/// Of a thread that is on no stack of a task.
TREADLE_NOINLINE running_path* path_outside() noexcept {
  if (!t_outside) t_outside = new_path();
  const std::uint32_t now = present_period();
  if (t_outside && t_outside->period != now) {
    while (t_outside->outer) give_path(std::exchange(t_outside, t_outside->outer));
    t_outside->period = now;
  }
  return t_outside;
}

running_path* running_here() noexcept {
  task_stack* const stack = this_task_stack();
  if (TREADLE_UNLIKELY(!stack)) return path_outside();
  const std::uint32_t now = present_period();
  if (TREADLE_UNLIKELY(stack->paths && (stack->paths->period != now || !stack->running)))
    renew(*stack, now);
  else if (TREADLE_UNLIKELY(!stack->paths && stack->running))
    adopt_running(*stack, now);
  return stack->paths;
}

const void* site_of_task(const job& task) noexcept { return task.name().text; }

/// Reading the clock costs as much as the rest: of what has run before, one time in several is measured. By chance: in
/// rounds of a few tasks it would always be the same one.
constexpr std::uint32_t k_times_per_measured = 4;
/// Of short tasks that are in no other one, one in several has its children looked at.
constexpr std::uint32_t k_short_per_look = 32;
constinit thread_local xorshift t_random{1};

running_path* timed(running_path* path) noexcept { return path ? path->timed() : nullptr; }

void begin_task(const job& task) noexcept {
  task_stack* const stack = this_task_stack();
  running_path* const by = running_here();
  if (by && by->is_short && is_short_task(task)) return;
  running_path* const path = take_path();
  if (!path) return;
  path->begin(task, by, present_period());
  (stack ? stack->paths : t_outside) = path;
  if (by) by->next = nullptr; // it runs at once
  if (path->is_short) return;
  const std::uint32_t number = task.path_number();
  path->is_measured = number != k_short && (t_random.below(k_times_per_measured) == 0 || !levels().has_run(number));
  running_path* const before = timed(by);
  const std::int64_t now = path->is_measured || (before && before->is_measured) ? ticks_now() : 0;
  if (before) before->stop(now);
  path->go_on(now);
}

void end_task(const job& task) noexcept {
  task_stack* const stack = this_task_stack();
  running_path*& here = stack ? stack->paths : t_outside;
  running_path* const path = here;
  if (!path || path->task != &task) return; // it had begun before, or runs in a short one
  here = path->outer;
  if (path->period != present_period()) path->is_measured = false; // learning has ended, and begun again
  if (!path->is_short) {
    running_path* const before = timed(path->outer);
    const std::int64_t now = path->is_measured || (before && before->is_measured) ? ticks_now() : 0;
    levels().end(path->makes, path->own(now));
    if (before) before->go_on(now);
  }
  give_path(path);
}

} // namespace

void running_path::begin(const job& of, running_path* within, std::uint32_t now) noexcept {
  task = &of;
  outer = within;
  period = now;
  next = nullptr;
  ran = began = 0;
  is_measured = false;
  const std::uint32_t number = of.path_number();
  const bool is_marked = number == k_short;
  // Tasks that make their successors would otherwise be marked for ever.
  const bool is_looked_at = is_marked && !(within && within->task) && t_random.below(k_short_per_look) == 0;
  is_short = is_marked && !is_looked_at;
  makes.begin(is_marked ? 0 : number, number == 0 || is_looked_at ? site_of_task(of) : nullptr, is_looked_at);
}

void running_path::add_inputs(const job& made) noexcept {
  if (std::exchange(next, nullptr) != &made) return;
  for (const decide::task_number input : inputs) levels().add_input(made.path_number(), input);
  inputs.clear();
}

path_learning::path_learning() {
  static learned* const all = new learned;
  the_learned.store(all, order::release); // pairs with what_is_learned()
  all->levels.set_short_time(static_cast<float>(ns_to_ticks(short_task_ns.load(order::relaxed))));
  const std::lock_guard guard(all->pools_lock);
  if (all->pools++ != 0) return;
  all->periods.fetch_add(1, order::relaxed);
  want_events(k_seen, true); // first: what is told by the flag alone makes records that the other events end
  paths_are_learned.store(true, order::relaxed);
}

path_learning::~path_learning() {
  learned& all = *the_learned.load(order::relaxed);
  const std::lock_guard guard(all.pools_lock);
  if (--all.pools != 0) return;
  want_events(k_seen, false);
  paths_are_learned.store(false, order::relaxed);
}

void forget_paths(task_stack& of) noexcept {
  while (running_path* const path = of.paths) {
    of.paths = path->outer;
    delete path;
  }
}

void learn_path(event_kind kind, const job& task) noexcept {
  switch (kind) {
  case event_kind::task_created:
    if (running_path* const by = task.has_path_number() ? running_here() : nullptr) {
      const_cast<job&>(task).set_path_number(by->is_short ? k_short : levels().make(by->makes, site_of_task(task)));
      by->add_inputs(task);
    }
    return;
  case event_kind::task_started:
    return begin_task(task);
  case event_kind::task_suspended:
    if (running_path* const path = timed(running_here()); path && path->is_measured) path->stop(ticks_now());
    return;
  case event_kind::task_resumed:
    if (running_path* const path = timed(running_here()); path && path->is_measured) path->go_on(ticks_now());
    return;
  case event_kind::task_finished:
    return end_task(task);
  default:
    return;
  }
}

void learn_input(const future_state& task, const future_state& input) noexcept {
  running_path* const by = running_here();
  if (!by || by->is_short) return;
  if (std::exchange(by->next, &task) != &task) by->inputs.clear();
  if (input.path_number() == 0 || &input == &task) return;
  try {
    by->inputs.push_back(input.path_number());
  } catch (const std::bad_alloc&) { // it seems to depend on less
  }
}

void learn_join(future_state& joined, const void* site) noexcept {
  running_path* const by = running_here();
  if (!by) return;
  if (site) joined.set_path_number(by->is_short ? k_short : levels().make_join(by->makes, site));
  by->add_inputs(joined);
}

void learn_wait() noexcept {
  if (running_path* const path = running_here(); path && path->makes.has_made())
    levels().wait(path->makes, path->is_measured ? path->own(ticks_now()) : -1);
}

bool is_short_task(const job& task) noexcept {
  if (const std::uint32_t number = task.path_number()) return number == k_short;
  const running_path* const here = running_here();
  return here && here->is_short;
}

float path_of(const job& task) noexcept {
  if (const std::uint32_t number = task.path_number(); number != 0 && number != k_short) return levels().level(number);
  const running_path* const here = running_here();
  return here ? levels().level(here->makes.self()) : 0;
}

} // namespace treadle::detail
