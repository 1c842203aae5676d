#include "decide/bottom_levels.hpp"

#include <algorithm>
#include <bit>
#include <mutex>
#include <new>
#include <utility>

namespace treadle::decide {

using detail::order;

namespace {

constexpr float k_longest = 1e15F; // in programs that never end there is no end of paths
constexpr float k_short_path = 16; // tasks that just are short: a chain of more is worth an order

/// Counts the new value more than the average does that it joins.
float closer(float known, float seen) noexcept { return known < 0 ? seen : known + (seen - known) / 4; }

} // namespace

/// The tasks of one site that creators of a kind make.
struct bottom_levels::task_kind {
  const void* site;
  const creator_kind* by;
  atomic<float> own{-1}; // of those that run for the first time
  static constexpr std::uint32_t k_first = 16;
  atomic<task_number> blocks[std::bit_width(k_round_max / k_first)]{}; // block b: k_first << b numbers
};

struct alignas(64) bottom_levels::learned_task { // a cache line
  atomic<float> own{-1};                         // negative: it has not run yet
  atomic<float> after_time{0};
  atomic<float> raised{0};   // the next after_time, so far
  atomic<float> in_round{0}; // what of that is in the same round
  atomic<std::uint32_t> order_made{0};
  atomic<task_number> inputs[k_inputs]{};
  task_kind* kind = nullptr;
  atomic<creator_kind*> children{nullptr}; // as their creator

  float own_time() const noexcept {
    const float measured = own.load(order::relaxed);
    return std::max(measured < 0 ? kind->own.load(order::relaxed) : measured, 0.F);
  }
  static void raise(atomic<float>& what, float time) noexcept {
    if (what.load(order::relaxed) < time) what.store(time, order::relaxed);
  }
};

struct bottom_levels::creator_kind {
  const void* site;
  unsigned depth;
  atomic<float> rest{-1};                // from where it waits to its end
  atomic<std::uint32_t> short_rounds{0}; // how many in a row were short, up to k_short_rounds; and in these:
  atomic<std::uint32_t> short_size{0};   // the most tasks
  atomic<std::uint64_t> short_sites{0};  // a bit for each, by its hash
  detail::spinlock lock;                 // of what follows
  round latest;                          // made by one that has ended
  std::vector<std::unique_ptr<task_kind>> kinds;

  bool makes_short() const noexcept { return short_rounds.load(order::relaxed) >= k_short_rounds; }
  static std::uint64_t bit_of(const void* site) noexcept {
    return std::uint64_t{1} << (reinterpret_cast<std::uintptr_t>(site) * 0x9E3779B97F4A7C15U >> 58U);
  }
  /// `sites`: their bits; 0: the round was not short.
  void note_round(std::uint64_t sites, std::size_t size) noexcept {
    const auto change = [](auto& what, auto to) { // mostly it is that already, and others read it
      if (what.load(order::relaxed) != to) what.store(to, order::relaxed);
    };
    change(short_rounds, sites != 0 ? std::min(short_rounds.load(order::relaxed) + 1, k_short_rounds) : 0);
    change(short_size, sites != 0 ? std::max(short_size.load(order::relaxed), static_cast<std::uint32_t>(size)) : 0);
    change(short_sites, sites != 0 ? short_sites.load(order::relaxed) | sites : 0);
  }
};

bottom_levels::creator::creator()
    : m_random([] {
        static atomic<std::uint64_t> made{0};
        return made.fetch_add(1, order::relaxed);
      }()) {}

bottom_levels::bottom_levels(float short_time) : m_short_time(short_time) {}

bottom_levels::~bottom_levels() {
  for (atomic<learned_task*>& chunk : m_chunks) delete[] chunk.load(order::relaxed);
}

bottom_levels::learned_task& bottom_levels::at(task_number task) const noexcept {
  return m_chunks[task / k_chunk].load(order::acquire)[task % k_chunk]; // pairs with number_of()
}

bottom_levels::creator_kind& bottom_levels::kind_of(creator& c) {
  learned_task* const self = c.m_self ? &at(c.m_self) : nullptr;
  if (self) {
    if (creator_kind* known = self->children.load(order::acquire)) return *known;
  }
  const unsigned depth = self ? std::min(self->kind->by->depth + 1, k_depth_max) : 0;
  const void* const site = depth == k_depth_max ? nullptr : self ? self->kind->site : c.m_site; // there all are alike
  const std::lock_guard guard(m_lock);
  creator_kind* found = nullptr;
  for (const auto& kind : m_creators)
    if (kind->site == site && kind->depth == depth) found = kind.get();
  if (!found) {
    m_creators.push_back(std::make_unique<creator_kind>());
    found = m_creators.back().get();
    found->site = site;
    found->depth = depth;
  }
  if (self) self->children.store(found, order::release);
  return *found;
}

bottom_levels::task_kind& bottom_levels::kind_of(creator_kind& by, const void* site) {
  const std::lock_guard guard(by.lock);
  for (const auto& kind : by.kinds)
    if (kind->site == site) return *kind;
  by.kinds.push_back(std::make_unique<task_kind>());
  by.kinds.back()->site = site;
  by.kinds.back()->by = &by;
  return *by.kinds.back();
}

task_number bottom_levels::number_of(task_kind& kind, std::uint32_t position) {
  const auto block = static_cast<unsigned>(std::bit_width(position / task_kind::k_first + 1)) - 1;
  const std::uint32_t size = task_kind::k_first << block, first = size - task_kind::k_first;
  if (task_number known = kind.blocks[block].load(order::acquire)) return known + position - first;
  const std::lock_guard guard(m_lock);
  if (task_number known = kind.blocks[block].load(order::relaxed)) return known + position - first;
  if (size > k_numbers - m_used) return 0;
  for (task_number n = m_used; n < m_used + size + k_chunk; n += k_chunk) {
    atomic<learned_task*>& chunk = m_chunks[std::min(n, m_used + size - 1) / k_chunk];
    if (!chunk.load(order::relaxed)) chunk.store(new learned_task[k_chunk], order::release);
  }
  const task_number begin = std::exchange(m_used, m_used + size);
  for (task_number n = begin; n < m_used; ++n) at(n).kind = &kind;
  kind.blocks[block].store(begin, order::release); // with the tasks behind it
  return begin + position - first;
}

task_number bottom_levels::make(creator& by, const void* site) noexcept {
  try {
    if (!by.m_kind || by.m_waits || by.m_round.made.size() == k_round_max || by.m_unlearned == k_round_max)
      begin_round(by);
    if (by.m_is_short) {
      const bool is_known = (by.m_kind->short_sites.load(order::relaxed) & creator_kind::bit_of(site)) != 0;
      if (is_known && ++by.m_unlearned <= by.m_kind->short_size.load(order::relaxed)) return k_short;
      begin_learned(by); // this is not what was short
    }
    auto mine =
        std::find_if(by.m_counts.begin(), by.m_counts.end(), [&](const auto& c) { return c.kind->site == site; });
    if (mine == by.m_counts.end()) mine = by.m_counts.insert(mine, {&kind_of(*by.m_kind, site), 0});
    const task_number made = number_of(*mine->kind, mine->made);
    if (made == 0) return 0;
    by.m_round.made.push_back(made);
    ++mine->made;
    learned_task& task = at(made);
    task.order_made.store(static_cast<std::uint32_t>(by.m_round.made.size() - 1), order::relaxed);
    for (auto& input : task.inputs) {
      if (input.load(order::relaxed) == 0) break;
      input.store(0, order::relaxed);
    }
    return made;
  } catch (const std::bad_alloc&) {
    return 0;
  }
}

task_number bottom_levels::make_join(creator& by, const void* site) noexcept {
  const task_number made = make(by, site);
  if (made != 0 && made != k_short) at(made).own.store(0, order::relaxed);
  return made;
}

/// By now it is known how long the tasks of the last one took.
void bottom_levels::begin_round(creator& by) {
  if (!by.m_kind) by.m_kind = &kind_of(by);
  const bool has_made = !by.m_round.made.empty();
  if (has_made) go_back_through(by.m_round, *by.m_kind, after(by.m_self));
  by.m_round.was_waited_for = by.m_waits = false;
  for (auto& count : by.m_counts) count.made = 0;
  by.m_is_short = !learns_next(by);
  by.m_unlearned = by.m_round.unlearned = 0;
  if (!by.m_is_short && !has_made) begin_learned(by);
}

bool bottom_levels::learns_next(creator& by) const noexcept {
  if (std::exchange(by.m_learns, false) || !by.m_kind->makes_short()) return true;
  const bool is_below = by.m_self != 0 && at(by.m_self).kind->by != by.m_kind && at(by.m_self).kind->by->makes_short();
  return by.m_random.below(is_below ? k_rounds_per_learned_below : k_rounds_per_learned) == 0;
}

void bottom_levels::begin_learned(creator& by) noexcept {
  by.m_is_short = false;
  {
    const std::lock_guard guard(by.m_kind->lock);
    std::swap(by.m_round, by.m_kind->latest); // of one of its kind, which nobody has gone back through
  }
  if (!by.m_round.made.empty()) go_back_through(by.m_round, *by.m_kind, after(by.m_self));
  by.m_round.was_waited_for = false;
  by.m_round.unlearned = std::exchange(by.m_unlearned, 0);
}

/// The task is short, and makes only what is.
bool bottom_levels::is_short(const learned_task& task, const creator_kind& by) const noexcept {
  const float own = task.own.load(order::relaxed);
  const creator_kind* const makes = task.children.load(order::acquire); // pairs with kind_of()
  return own >= 0 && own < m_short_time.load(order::relaxed) &&
         (!makes || makes == &by || makes->short_rounds.load(order::relaxed) != 0);
}

/// What is made later comes later: the inputs of a task exist before it.
void bottom_levels::go_back_through(round& r, creator_kind& by, float after_time) noexcept {
  const float at_least = r.was_waited_for ? std::max(by.rest.load(order::relaxed), 0.F) + after_time : 0;
  const task_number* const made = r.made.data();
  const std::size_t size = r.made.size() + r.unlearned;
  bool all_short = true;
  std::uint64_t sites = 0;
  for (std::size_t i = r.made.size(); i-- > 0;) {
    learned_task& task = at(made[i]);
    const float after_it = std::min(std::max(task.raised.load(order::relaxed), at_least), k_longest);
    task.raised.store(0, order::relaxed);
    task.after_time.store(after_it, order::relaxed);
    const float own = task.own_time(), from_it = own + after_it, in_round = own + task.in_round.load(order::relaxed);
    task.in_round.store(0, order::relaxed);
    all_short = all_short && is_short(task, by) && in_round < k_short_path * m_short_time.load(order::relaxed);
    sites |= creator_kind::bit_of(task.kind->site);
    for (const auto& input : task.inputs) {
      const task_number number = input.load(order::acquire);
      if (number == 0) break;
      learned_task& before = at(number);
      const std::uint32_t when = before.order_made.load(order::relaxed);
      const bool is_of_round = when < i && made[when] == number;
      // What a task has passed on to its creator comes before what the creator does with it. Everything else is of
      // another round, and the way around may be a circle.
      if (is_of_round) learned_task::raise(before.in_round, in_round);
      if (is_of_round || before.kind->by->depth > by.depth) learned_task::raise(before.raised, from_it);
    }
  }
  r.made.clear();
  by.note_round(all_short ? sites : 0, size);
}

void bottom_levels::add_input(task_number task, task_number input) noexcept {
  if (task == 0 || input == 0 || task == k_short || input == k_short) return;
  for (auto& slot : at(task).inputs) {
    if (slot.load(order::relaxed) != 0) continue;
    return slot.store(input, order::release); // with what its number stands for
  }
  if (at(input).order_made.load(order::relaxed) < at(task).order_made.load(order::relaxed))
    learned_task::raise(at(input).raised, level(task)); // by what is known of it: a round later than others
}

void bottom_levels::wait(creator& by, float own) noexcept {
  if (!by.m_kind || by.m_waits) return;
  by.m_waits = by.m_round.was_waited_for = true;
  by.m_waited_at = own;
}

void bottom_levels::end(creator& task, float own) noexcept {
  if (task.m_self && own >= 0) {
    learned_task& self = at(task.m_self);
    const float known = self.own.load(order::relaxed);
    self.own.store(closer(known, known < 0 ? own : std::min(own, 16 * known)), order::relaxed);
    if (!task.m_kind && self.children.load(order::relaxed)) self.children.store(nullptr, order::relaxed); // no more
    if (known < 0) { // rare: many workers share it
      atomic<float>& all = self.kind->own;
      all.store(closer(all.load(order::relaxed), own), order::relaxed);
    }
  }
  creator_kind* const kind = task.m_kind;
  if (!kind || task.m_round.made.empty()) return;
  if (task.m_waits && own >= 0 && task.m_waited_at >= 0)
    kind->rest.store(closer(kind->rest.load(order::relaxed), own - task.m_waited_at), order::relaxed);
  const std::lock_guard guard(kind->lock);
  std::swap(kind->latest, task.m_round);
}

bool bottom_levels::try_lock() noexcept {
  if (!m_lock.try_lock()) return false;
  for (std::size_t i = 0; i < m_creators.size(); ++i) {
    if (m_creators[i]->lock.try_lock()) continue;
    while (i-- > 0) m_creators[i]->lock.unlock();
    m_lock.unlock();
    return false;
  }
  return true;
}

void bottom_levels::unlock() noexcept {
  for (const auto& kind : m_creators) kind->lock.unlock();
  m_lock.unlock();
}

float bottom_levels::own(task_number task) const noexcept { return task == 0 ? 0 : at(task).own_time(); }

bool bottom_levels::has_run(task_number task) const noexcept {
  return task != 0 && at(task).own.load(order::relaxed) >= 0;
}

float bottom_levels::after(task_number task) const noexcept {
  return task == 0 ? 0 : at(task).after_time.load(order::relaxed);
}

float bottom_levels::level(task_number task) const noexcept { return own(task) + after(task); }

} // namespace treadle::decide
