#include "task/scheduler.hpp"

#include "base/sync/fence.hpp"
#include "base/sync/park.hpp"

#include <pthread.h>
#include <string>

namespace treadle::detail {

scheduler::scheduler(const runtime_options& resolved, runtime& owner)
    : facade(owner),
      stack_bytes(resolved.stack_bytes),
      m_parked_set(std::make_unique<atomic<std::uint64_t>[]>((resolved.workers + 63) / 64)),
      m_parked_words((resolved.workers + 63) / 64) {
  init_asymmetric_fence();
  for (unsigned i = 0; i < resolved.workers; ++i) {
    workers.push_back(std::make_unique<worker>(*this, i, resolved.stack_bytes));
  }
  try {
    for (auto& w : workers) {
      m_threads.emplace_back([&w] { w->thread_main(); });
      const std::string name = "treadle-" + std::to_string(w->index());
      pthread_setname_np(m_threads.back().native_handle(), name.c_str());
    }
  } catch (...) { // no more threads to be had: end those that run
    exiting.store(true, order::seq_cst);
    wake_all();
    for (auto& t : m_threads) t.join();
    throw;
  }
}

scheduler::~scheduler() {
  await_visitors(); // their tasks count as in flight; nobody finds this scheduler any more
  wait_idle();
  await_visitors(); // threads on their way out of inject()
  exiting.store(true, order::seq_cst);
  wake_all();
  for (auto& t : m_threads) t.join();
  workers.clear();
  for (task_fiber* f : m_idle_fibers) delete f;
}

void scheduler::await_visitors() noexcept {
  while (m_injecting.load(order::acquire) != 0) std::this_thread::yield(); // a matter of instructions
}

void scheduler::inject(job& item) {
  enter(); // before the job can run: it may be the last one the runtime waits for
  injected.push(&item);
  // A full barrier, unlike in worker::push(): nobody else would look at this queue before a worker runs out of work.
  idle.fetch_add(0, order::seq_cst);
  notify_work(true);
  leave();
}

void scheduler::announce(unsigned index, bool napping) noexcept {
  workers[index]->naps.store(napping, order::relaxed); // published with the bit
  parked_word(index).fetch_or(std::uint64_t{1} << (index % 64), order::seq_cst);
  idle.fetch_add((napping ? k_napping : k_parked) - k_searching, order::seq_cst);
}

bool scheduler::withdraw(unsigned index) noexcept {
  const std::uint64_t bit = std::uint64_t{1} << (index % 64);
  if (!(parked_word(index).fetch_and(~bit, order::seq_cst) & bit)) return false;
  idle.fetch_add(k_searching - (workers[index]->naps.load(order::relaxed) ? k_napping : k_parked), order::seq_cst);
  return true;
}

void scheduler::wake_one() noexcept {
  for (unsigned i = 0; i < m_parked_words; ++i) {
    std::uint64_t set = m_parked_set[i].load(order::relaxed);
    while (set != 0) {
      const unsigned index = i * 64 + static_cast<unsigned>(__builtin_ctzll(set));
      if (withdraw(index)) {
        workers[index]->wake_up.store(1, order::release); // pairs with the acquire load in park()
        futex_wake(workers[index]->wake_up);
        return;
      }
      set &= set - 1;
    }
  }
}

void scheduler::wake_all() noexcept {
  for (auto& w : workers) {
    if (!withdraw(w->index())) continue;
    w->wake_up.store(1, order::release);
    futex_wake(w->wake_up);
  }
}

job* scheduler::steal(worker& thief, xorshift& random) noexcept {
  const auto n = static_cast<unsigned>(workers.size());
  const unsigned start = random.below(n);
  for (unsigned i = 0; i < n; ++i) {
    worker& victim = *workers[(start + i) % n];
    if (&victim == &thief) continue;
    if (job* item = victim.tasks.steal()) return item;
  }
  return nullptr;
}

bool scheduler::work_is_visible() const noexcept {
  if (!injected.empty()) return true;
  for (const auto& w : workers) {
    if (!w->tasks.empty()) return true;
  }
  return false;
}

bool scheduler::quiescent() const noexcept {
  // Finished is read before created and both only grow, so equality means that at the moment between the two readings
  // everything created until then had finished.
  std::uint64_t finished = 0;
  for (const auto& w : workers) finished += w->counters.finished.load(order::acquire);
  std::uint64_t created = injected_tasks.load(order::acquire);
  for (const auto& w : workers) created += w->counters.created.load(order::acquire);
  return created == finished;
}

void scheduler::wait_idle() {
  m_drain_waiters.fetch_add(1, order::seq_cst);
  for (;;) {
    const std::uint32_t epoch = m_drain_epoch.load(order::acquire);
    heavy_fence(); // pairs with the one in park(): either we see the last task finished or that worker sees us waiting
    if (quiescent()) break;
    futex_wait(m_drain_epoch, epoch);
  }
  m_drain_waiters.fetch_sub(1, order::seq_cst);
}

void scheduler::check_drained() noexcept {
  if (m_drain_waiters.load(order::relaxed) == 0 || !quiescent()) return;
  m_drain_epoch.fetch_add(1, order::release);
  futex_wake(m_drain_epoch, 1 << 30);
}

task_fiber* scheduler::take_fiber() noexcept {
  scoped_lock guard(m_fiber_lock);
  if (m_idle_fibers.empty()) return nullptr;
  task_fiber* f = m_idle_fibers.back();
  m_idle_fibers.pop_back();
  return f;
}

void scheduler::give_fiber(task_fiber* idle_fiber) noexcept {
  {
    scoped_lock guard(m_fiber_lock);
    if (m_idle_fibers.size() < 64 + 16 * workers.size()) {
      try {
        m_idle_fibers.push_back(idle_fiber);
        return;
      } catch (...) { // no memory for the list: let the stack go instead
      }
    }
  }
  delete idle_fiber;
  count_stack(-1);
}

} // namespace treadle::detail
