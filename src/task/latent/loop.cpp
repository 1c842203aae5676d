#include <treadle/detail/loop.hpp>

#include "base/clock.hpp"
#include "task/engine/scheduler.hpp"
#include "task/engine/tunables.hpp"
#include "task/latent/promoted_task.hpp"
#include "task/timing.hpp"

#include <treadle/detail/intrusive_ptr.hpp>
#include <treadle/stopped.hpp>

#include <algorithm>
#include <cmath>

namespace treadle::detail {

void run_on_worker(void (*call)(void*), void* argument);

namespace {

double in_ns(const tunable_ns& time) noexcept { return static_cast<double>(std::int64_t{time}); }
std::uint64_t in_ps(const tunable_ns& time) noexcept { return static_cast<std::uint64_t>(std::int64_t{time}) * 1000; }

} // namespace

/// What all parts of one run of a loop share; on the stack of the task that runs the loop.
class loop {
 public:
  const loop_body& body;
  void* const context;
  const loop_cut cut;
  loop_site& site;
  atomic<std::uint64_t> needed; // iterations from here on are not needed; only lowered
  atomic<std::uint32_t> parts{1};
  atomic<std::uint32_t> stopped_early{0}; // known at last after joins

  /// None are needed any more.
  void stop() noexcept {
    stopped_early.store(1, order::relaxed);
    stop_after(0);
  }
  bool needs(std::uint64_t iteration) const noexcept { return iteration < needed.load(order::relaxed); }
  /// Relaxed: it only says what need not be done. What is merged or thrown at last is decided after joins, which order
  /// it.
  void stop_after(std::uint64_t end) noexcept { needed.lower_to(end, order::relaxed); }
  /// By measurement; infinite while there is none.
  double expected_ns(std::uint64_t iterations) const noexcept;
  void record(std::int64_t ticks, std::uint64_t iterations, bool alone) noexcept;
};

double loop::expected_ns(std::uint64_t iterations) const noexcept {
  const std::uint64_t ps = site.ps_per_iteration.load(order::relaxed);
  return ps == 0 ? HUGE_VAL : static_cast<double>(iterations) * static_cast<double>(ps) / 1000;
}

void loop::record(std::int64_t ticks, std::uint64_t iterations, bool alone) noexcept {
  if (iterations == 0) return;
  const auto measured = static_cast<std::uint64_t>(static_cast<double>(ticks_to_ns(std::max<std::int64_t>(ticks, 1))) *
                                                   1000.0 / static_cast<double>(iterations)) +
                        1;
  const std::uint64_t known = site.ps_per_iteration.load(order::relaxed);
  // Parts take longer than the loop would as a whole, because data moves: that must not be a reason for more parts.
  if (known < measured && measured < 4 * known && !alone) return;
  // Quick to believe that a loop is expensive, slow to believe that it is cheap: only the first mistake costs much.
  const std::uint64_t now = known == 0         ? measured
                            : measured > known ? known + (measured - known + 1) / 2
                                               : known - (known - measured) / 8;
  site.ps_per_iteration.store(now, order::relaxed);
  site.serial_up_to.store(2 * in_ps(tunables::loop_worthwhile) / now, order::relaxed); // both halves are worth it
}

std::uint64_t loop_pieces::next(std::uint64_t begin, std::uint64_t end) noexcept {
  const std::int64_t now = ticks_now(), took = now - m_since, target = ns_to_ticks(tunables::loop_chunk);
  if (std::exchange(m_since, now) != 0) {
    if (took < target / 2)
      m_size = std::max(m_size, 2 * m_size); // not beyond 64 bits
    else if (took > 2 * target)
      m_size = std::max<std::uint64_t>(m_size / 2, 1);
  }
  return begin + std::min(m_size, end - begin);
}

namespace {

/// The iterations that one task executes: from the front, while the upper half of the rest can be given away.
class loop_part final : public latent_work {
 public:
  loop_part(loop& whole, void* state, std::uint64_t begin, std::uint64_t end) noexcept
      : latent_work(k_kind), m_loop(whole), m_state(state), m_next(begin), m_end(end) {}

  /// Returns when all iterations of the range are done, also those given away.
  void run();

 private:
  static bool promote(latent_work& work, promoted_task& task, bool all) noexcept;
  static void run_piece(promoted_task& task);
  static constexpr latent_kind k_kind{&promote, &run_piece, name_from("part of a loop")};

  std::uint64_t share(std::uint64_t rest) const noexcept;
  void spread(task_stack& current);
  void run_chunks(task_stack& current);
  bool run_range(std::uint64_t begin, std::uint64_t end);
  bool run_until_stopped(std::uint64_t begin, std::uint64_t end);
  void join_pieces(std::exception_ptr failure);
  std::uint64_t first_chunk() const noexcept;

  loop& m_loop;
  void* const m_state;
  atomic<std::uint64_t> m_next;      // written here, read by promote(), maybe in a signal handler in between
  atomic<std::uint64_t> m_end;       // lowered by promote()
  promoted_task* m_pieces = nullptr; // given away, newest first, which is ascending order of iterations
  bool m_started = false;            // it has taken iterations of its own
  unsigned m_spread = 0;             // parts still to be made of the range at once
  loop_pieces m_pieces_of_time;      // between two looks at a stop token
};

/// How many chunks, of any size, this many iterations begin.
constexpr std::uint64_t rounded_up(std::uint64_t iterations, std::uint64_t chunk) noexcept {
  return iterations / chunk + (iterations % chunk != 0);
}

/// How many of the last `rest` chunks to give away.
std::uint64_t loop_part::share(std::uint64_t rest) const noexcept {
  if (m_spread > 1 && rest > 1) return std::max<std::uint64_t>(rest / m_spread, 1);
  if (m_loop.cut.how == loop_cut::kind::on_demand && m_loop.expected_ns(rest) < in_ns(tunables::loop_worthwhile))
    return 0;
  // The part that has taken chunks can give away its last one, but one that just starts keeps something to do: else a
  // single chunk would be handed round as long as anybody is hungry.
  return m_started ? rest - rest / 2 : rest / 2;
}

bool loop_part::promote(latent_work& work, promoted_task& task, bool all) noexcept {
  auto& part = static_cast<loop_part&>(work);
  if (all) part.m_kind = nullptr;
  loop& whole = part.m_loop;
  const std::uint64_t next = part.m_next.load(order::relaxed);
  const std::uint64_t end = part.m_end.load(order::relaxed);
  if (next >= end || !whole.needs(next)) return false;
  if (whole.cut.parts_max != 0 && whole.parts.load(order::relaxed) >= whole.cut.parts_max && !all) return false;
  std::uint64_t begin = next;
  if (!all) {
    const std::uint64_t chunk = whole.cut.chunk;
    const std::uint64_t chunks = rounded_up(end, chunk) - rounded_up(next, chunk);
    const std::uint64_t given = part.share(chunks);
    if (given == 0) return false;
    if (whole.cut.how == loop_cut::kind::on_demand)
      task.worth_waking = whole.expected_ns(end - begin) >= in_ns(tunables::loop_worth_waking);
    begin = (rounded_up(end, chunk) - given) * chunk;
    if (part.m_spread > 1) --part.m_spread;
  }
  task.whole = &whole;
  task.begin = begin;
  task.end = end;
  task.next_piece = part.m_pieces;
  part.m_pieces = &task;
  part.m_end.store(begin, order::relaxed);
  whole.parts.fetch_add(1, order::relaxed);
  return true;
}

void loop_part::run_piece(promoted_task& task) {
  loop& whole = *task.whole;
  struct leave {
    loop& whole;
    ~leave() { whole.parts.fetch_sub(1, order::relaxed); }
  } guard{whole};
  if (!whole.needs(task.begin)) return;
  if (whole.body.make_state) task.state = whole.body.make_state(whole.context);
  loop_part(whole, task.state, task.begin, task.end).run();
}

void loop_part::spread(task_stack& current) {
  try {
    while (m_spread > 1 && current.runner->latent.promote(*this, false)) {
    }
  } catch (const std::bad_alloc&) { // the rest stays here
  }
  m_spread = 0;
}

/// False when that was the last that is needed.
bool loop_part::run_range(std::uint64_t begin, std::uint64_t end) {
  const bool goes_on = m_loop.body.run(m_loop.context, m_state, begin, end);
  if (!goes_on) m_loop.stop_after(end);
  return goes_on;
}

/// The same in pieces, however large the chunks are, with a look at the token before each.
bool loop_part::run_until_stopped(std::uint64_t begin, std::uint64_t end) {
  for (std::uint64_t piece_end = 0; begin < end; begin = piece_end) {
    if (m_loop.cut.stops()) {
      m_loop.stop();
      return false;
    }
    piece_end = m_pieces_of_time.next(begin, end);
    if (!run_range(begin, piece_end)) return false;
  }
  return true;
}

std::uint64_t loop_part::first_chunk() const noexcept {
  const std::uint64_t ps = m_loop.site.ps_per_iteration.load(order::relaxed);
  return ps == 0 ? 1 : std::max<std::uint64_t>(in_ps(tunables::loop_chunk) / ps, 1);
}

void loop_part::run_chunks(task_stack& current) {
  const loop_cut& cut = m_loop.cut;
  // Parts that are made at once need no chunks to be cut at: like parts on demand they only look up now and then.
  const bool measured = cut.how == loop_cut::kind::on_demand || cut.how == loop_cut::kind::spread;
  const std::int64_t target = ns_to_ticks(tunables::loop_chunk);
  const std::uint64_t workers = current.runner->worker_count();
  std::uint64_t chunk = measured ? std::max(first_chunk(), cut.chunk) : cut.chunk;
  const bool is_first = m_next.load(order::relaxed) == 0;
  std::uint64_t iterations = 0;
  std::int64_t ticks = 0; // without those that promotions take
  std::int64_t before = ticks_now();
  const std::int64_t look_pause = ns_to_ticks(timing::k_between_looks_in_loop);
  std::int64_t look_at = before + look_pause;
  for (;;) {
    const std::uint64_t begin = m_next.load(order::relaxed);
    std::uint64_t end = m_end.load(order::relaxed);
    if (begin >= end || !m_loop.needs(begin)) break;
    if (cut.how == loop_cut::kind::guided)
      chunk = std::max((end - begin) / (2 * workers) / cut.chunk * cut.chunk, cut.chunk);
    end = begin + std::min(chunk, end - begin);
    m_next.store(end, order::relaxed);
    m_started = true;
    signal_fence(); // from here on promote() leaves the chunk alone; before, it may have taken some of it
    if (const std::uint64_t lowered = m_end.load(order::relaxed); lowered < end) {
      m_next.store(end = lowered, order::relaxed);
      if (begin >= end) break;
    }
    if (!(TREADLE_LIKELY(!cut.is_stopped) ? run_range(begin, end) : run_until_stopped(begin, end))) break;
    iterations += end - begin;
    if (measured) {
      const std::int64_t now = ticks_now();
      const std::int64_t took = std::max<std::int64_t>(now - before, 1);
      before = now;
      ticks += took;
      if (took < target / 2)
        chunk = std::max(chunk, 2 * chunk); // not beyond 64 bits
      else if (took > 2 * target)
        chunk = std::max(chunk / 2, cut.chunk);
      if (TREADLE_UNLIKELY(now >= look_at)) { // while all workers are in long loops nobody else does
        current.runner->look_at_cores();
        look_at = now + look_pause;
      }
    }
    if (TREADLE_UNLIKELY(current.hungry->load(order::relaxed) != 0) && m_kind) {
      current.runner->promote_oldest(current);
      before = ticks_now();
    }
  }
  if (measured) m_loop.record(ticks, iterations, is_first && !m_pieces);
}

void loop_part::run() {
  task_stack& current = *this_task_stack();
  const bool spreads = m_loop.cut.how == loop_cut::kind::spread && m_loop.parts.load(order::relaxed) == 1;
  if (spreads) m_spread = m_loop.cut.parts_max != 0 ? m_loop.cut.parts_max : current.runner->worker_count();
  const std::uint64_t iterations = m_end.load(order::relaxed) - m_next.load(order::relaxed);
  const bool is_heavy = m_loop.cut.how == loop_cut::kind::on_demand && m_loop.parts.load(order::relaxed) == 1 &&
                        m_loop.expected_ns(iterations) >= 2 * in_ns(tunables::loop_worth_waking);
  if (is_heavy || current.hungry->load(order::relaxed) != 0) current.runner->latent.end_pause(is_heavy);
  latent_work* const older = link(current); // may give the first part away
  // Who has just done a part of the loop before this one is about to ask; between two long iterations nobody looks.
  if (is_heavy && !m_pieces && somebody_was_hungry_lately()) promote_oldest(current);
  std::exception_ptr failure;
  try {
    if (spreads) spread(current);
    run_chunks(current);
  } catch (...) {
    failure = std::current_exception();
    if (m_started) m_loop.stop_after(m_next.load(order::relaxed));
  }
  if (!unlink(current, older)) current.newest = nullptr; // the stack was left: everything older is promoted, too
  join_pieces(std::move(failure));
}

void loop_part::join_pieces(std::exception_ptr failure) {
  const loop_body& body = m_loop.body;
  while (m_pieces) {
    const auto piece = intrusive_ptr<promoted_task>::adopt(std::exchange(m_pieces, m_pieces->next_piece));
    piece->join();
    const bool needed = m_loop.needs(piece->begin);
    if (!failure && needed) failure = piece->failure();
    if (!piece->state) continue;
    try {
      if (!failure && needed) body.merge(m_loop.context, m_state, piece->state);
    } catch (...) {
      failure = std::current_exception();
    }
    body.destroy_state(piece->state);
  }
  if (failure) std::rethrow_exception(failure);
}

} // namespace

void run_loop(const loop_body& body, void* context, void* state, std::uint64_t n, const loop_cut& cut,
              loop_site& site) {
  if (n == 0) return;
  loop whole{body, context, cut, site, atomic<std::uint64_t>{n}};
  site.measured_at.store(last_hungry_ms.load(order::relaxed), order::relaxed);
  if (cut.stops()) throw stopped();
  if (cut.how == loop_cut::kind::on_demand && !cut.is_stopped && n <= site.serial_up_to.load(order::relaxed)) {
    const std::int64_t start = ticks_now(); // too small to be shared: it is here only to be measured again
    if (body.run(context, state, 0, n)) whole.record(ticks_now() - start, n, true);
    return;
  }
  if (!on_worker()) {
    struct arguments {
      const loop_body& body;
      void *context, *state;
      std::uint64_t n;
      const loop_cut& cut;
      loop_site& site;
    } all{body, context, state, n, cut, site};
    run_on_worker(
        [](void* a) {
          auto& given = *static_cast<arguments*>(a);
          run_loop(given.body, given.context, given.state, given.n, given.cut, given.site);
        },
        &all);
    return;
  }
  if (!cut.tuner) {
    loop_part(whole, state, 0, n).run();
    if (TREADLE_UNLIKELY(whole.stopped_early.load(order::relaxed) != 0)) throw stopped();
    return;
  }
  struct measurement {
    const chunk_tuner& tuner;
    loop_site& site;
    std::uint64_t done = 0; // iterations; none when the loop throws
    bool wanted = false;
    ~measurement() {
      if (wanted) tuner.done(site, done);
    }
  } measured{*cut.tuner, site};
  loop_cut tuned = cut;
  tuned.tuner = nullptr;
  tuned.chunk = cut.tuner->begin(site, n, measured.wanted);
  run_loop(body, context, state, n, tuned, site);
  measured.done = n;
}

} // namespace treadle::detail
