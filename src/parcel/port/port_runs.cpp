// Runs of parcels that threads write without the lock of their outbox (parcel_run.hpp), on the side of the port.
#include "parcel/port/port.hpp"

#include "base/clock.hpp"
#include "base/fork.hpp"

#include <treadle/detail/spinlock.hpp>

#include <algorithm>
#include <new>
#include <utility>

// Read by assembly in other files, too.
[[gnu::used, gnu::tls_model("initial-exec")]] constinit thread_local treadle::detail::parcel_run* treadle_parcel_runs =
    nullptr;

namespace treadle::detail {

static_assert(k_parcel_sent_bit == bit_of(event_kind::parcel_sent));

/// A run of fewer bytes does not pay.
static constexpr std::size_t k_least_run = 128;

/// That which has no runs any more: the thread ends, or is that of the child of a fork.
static constinit thread_local bool has_no_runs = false;

namespace {
/// Held while a thread or a port ends, whose runs end with it.
class ends final : fork_participant {
 public:
  ends() noexcept { join_forks(); }
  void lock() noexcept { m_lock.lock(); }
  bool try_lock() noexcept override { return m_lock.try_lock(); }
  void unlock() noexcept override { m_lock.unlock(); }

 private:
  void begin_child() noexcept override { // they go into messages of the parent
    treadle_parcel_runs = nullptr;
    has_no_runs = true;
  }

  spinlock m_lock;
};
ends& the_ends() noexcept {
  static auto& all = *new ends;
  return all;
}
} // namespace

#if !defined(__x86_64__)
TREADLE_NOINLINE parcel_run* this_thread_runs() noexcept { return treadle_parcel_runs; }
#endif

class parcel_port::thread_runs {
 public:
  /// Null: there is no memory, or the thread is about to end.
  static parcel_run* get() noexcept {
    if (treadle_parcel_runs || has_no_runs) return treadle_parcel_runs;
    static_cast<void>(the_ends()); // before the first fork that matters
    static thread_local thread_runs all;
    return treadle_parcel_runs = all.m_runs.get();
  }

 private:
  thread_runs() noexcept : m_runs(new(std::nothrow) parcel_run[k_parcel_runs]) {}
  ~thread_runs() {
    has_no_runs = true;
    if (!std::exchange(treadle_parcel_runs, nullptr)) return;
    const scoped_lock ports(the_ends());
    for (unsigned i = 0; i < k_parcel_runs; ++i)
      if (void* const box = m_runs[i].outbox()) const locked no_run(*static_cast<outbox*>(box));
  }

  const std::unique_ptr<parcel_run[]> m_runs;
};

parcel_port::~parcel_port() {
  m_exits.store(1, order::release);
  m_transport->wake();
  if (m_waits.joinable()) m_waits.join();
  const scoped_lock threads(the_ends());
  for (outbox& box : m_outboxes) const locked no_run(box);
}

// With the lock of the box. Never inlined: what is a thread's own is found anew at every call, because a task may go on
// in another thread.

TREADLE_NOINLINE void parcel_port::open_run(outbox& box, const lane& of, std::uint32_t action, std::size_t bytes) {
  const std::span<std::byte> unused = box.gathered.unused();
  const std::size_t room = std::min(box.gathers.bytes_without_a_look(of.how), unused.size());
  if (room < k_least_run || callback_scope::is_inside() || m_failed.load(order::relaxed) != 0) return;
  parcel_run* const runs = thread_runs::get();
  parcel_run* const run = runs ? &runs[box.to % k_parcel_runs] : nullptr;
  if (!run || run->outbox()) return;
  run->open(&box, box.to, action, bytes, of.number, unused.data(), room, k_least_run,
            [&](const parcel_run::part& part) noexcept -> std::size_t {
              const lane* const one = part.lane < box.lanes.size() ? box.lanes[part.lane].get() : nullptr;
              return one && one->is_calm() ? box.gathers.bytes_without_a_look(one->how) : 0;
            });
  if (!run->outbox()) return;
  box.run_began.store(ticks_now(), order::relaxed);
  box.run.store(run, order::relaxed);
}

TREADLE_NOINLINE void parcel_port::end_open_run(outbox& box) {
  parcel_run* const run = box.run.load(order::relaxed);
  const bool is_own = treadle_parcel_runs && run == &treadle_parcel_runs[box.to % k_parcel_runs];
  std::size_t all_bytes = 0;
  run->close(is_own, [&](const parcel_run::part& one) noexcept {
    lane& of = *box.lanes[one.lane];
    const std::size_t bytes = one.parcels * one.bytes();
    of.parcels += one.parcels;
    of.bytes += bytes;
    box.parcels += one.parcels;
    box.gathers.add(one.parcels, bytes);
    box.gathered.extend(bytes);
    all_bytes += bytes;
  });
  box.run.store(nullptr, order::relaxed);
  if (!is_own) box.patience = std::min(2 * box.patience, outbox::k_most_patience);
  if (!is_own || all_bytes < k_least_run)
    box.streak = 0;
  else
    box.patience = std::max(outbox::k_least_patience, box.patience - box.patience / 16);
}

TREADLE_NOINLINE void parcel_port::note_sender(outbox& box) noexcept {
  const void* const own = &treadle_parcel_runs;
  if (TREADLE_LIKELY(box.sender == own)) return;
  box.streak = 0;
  box.sender = own;
}

} // namespace treadle::detail
