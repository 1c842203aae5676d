// A pause: EDTs say in counts of their thread that they begin and end, and look whether there is a pause; who pauses
// says so first and then adds up. docs/design/ocr.md tells why one of both sees the other.

#include "compat/ocr/pause.hpp"

#include "compat/ocr/block.hpp"
#include "compat/ocr/edt.hpp"
#include "compat/ocr/event.hpp"
#include "compat/ocr/program.hpp"

#include <treadle/condition_variable.hpp>
#include <treadle/detail/latent.hpp>
#include <treadle/mutex.hpp>
#include <treadle/this_task.hpp>

#include <cstring>
#include <mutex>
#include <sys/syscall.h>
#include <unistd.h>
#include <vector>

namespace treadle::ocr {

using detail::order;

namespace {

/// Of one thread, which alone writes them; kept for ever, because others add them up.
struct alignas(detail::k_cache_line) running_counts {
  detail::atomic<std::uint64_t> begun{0}, ended{0};
  running_counts* next = nullptr;
};
detail::atomic<running_counts*> all_counts{nullptr};

running_counts& new_counts() {
  auto* const made = new running_counts; // NOLINT: see above
  made->next = all_counts.load(order::relaxed);
  while (!all_counts.compare_exchange(made->next, made, order::release, order::relaxed)) { // pairs with running_now()
  }
  return *made;
}
running_counts& counts_of_thread() noexcept {
  thread_local running_counts* mine = nullptr;
  if (TREADLE_UNLIKELY(!mine)) mine = &new_counts();
  return *mine;
}

std::uint64_t running_now() noexcept {
  // First those that have ended: an EDT may be counted as running that is not, never the reverse.
  std::uint64_t ended = 0, begun = 0;
  for (auto* one = all_counts.load(order::acquire); one; one = one->next) ended += one->ended.load(order::acquire);
  for (auto* one = all_counts.load(order::acquire); one; one = one->next) begun += one->begun.load(order::acquire);
  return begun - ended;
}

/// All other threads have passed a full barrier when it returns.
void barrier_in_all_threads() noexcept {
  constexpr int k_global = 1, k_private = 8, k_register_private = 16;
  static const bool is_registered = syscall(SYS_membarrier, k_register_private, 0, 0) == 0;
  if (is_registered && syscall(SYS_membarrier, k_private, 0, 0) == 0) return;
  if (syscall(SYS_membarrier, k_global, 0, 0) == 0) return;
  usleep(20000); // an old kernel: longer than any store stays in a buffer
}

mutex lock;
condition_variable pause_ends;

void wait_for_turn() {
  std::unique_lock guard(lock);
  pause_ends.wait(guard, [] { return state.paused.load(order::relaxed) == 0 || is_stopping(); });
}

} // namespace

TREADLE_NOINLINE void begin_running() noexcept {
  for (;;) {
    counts_of_thread().begun.increment_unshared();
    detail::signal_fence(); // in this order for the barrier that who pauses has all threads pass
    if (TREADLE_LIKELY(state.paused.load(order::relaxed) == 0) || is_stopping()) return;
    end_running();
    wait_for_turn();
  }
}
TREADLE_NOINLINE void end_running() noexcept {
  running_counts& mine = counts_of_thread();
  // release: pairs with running_now(); what the EDT did has happened.
  mine.ended.store(mine.ended.load(order::relaxed) + 1, order::release);
}

void end_pause() noexcept {
  {
    const std::lock_guard guard(lock);
    state.paused.store(0, order::relaxed); // the lock orders
  }
  pause_ends.notify_all();
}

namespace {

struct query_result {
  ocrQueryType_t query;
  std::vector<ocrGuid_t> found;
};

void add_found(place& at, void* context) {
  auto& [query, found] = *static_cast<query_result*>(context);
  const kind what = at.what.load(order::relaxed);
  const detail::scoped_lock guard(at.lock);
  switch (query) {
  case OCR_QUERY_ALL_EDTS:
    if (what == kind::edt) found.push_back(guid_of(visible_guid(at)));
    break;
  case OCR_QUERY_READY_EDTS:
    if (what == kind::edt && edt::of(at).missing() == 0 && &edt::of(at) != current_edt())
      found.push_back(guid_of(visible_guid(at)));
    break;
  case OCR_QUERY_EVENTS:
    if (what == kind::event) found.push_back(guid_of(visible_guid(at)));
    break;
  case OCR_QUERY_LAST_SATISFIED_DB:
    break;
  }
}

} // namespace

} // namespace treadle::ocr

using namespace treadle::ocr;

u32 ocrPause(bool isBlocking) {
  std::uint64_t own = current_edt() ? 1 : 0;
  for (;;) {
    {
      const std::lock_guard guard(lock);
      if (state.paused.load(order::relaxed) == 0 && !is_stopping()) {
        state.paused.store(1, order::seq_cst); // before the barrier
        break;
      }
    }
    if (!isBlocking || is_stopping()) return 0;
    // Who pauses waits for this EDT to be at rest.
    if (own != 0) end_running();
    wait_for_turn();
    if (own != 0) begin_running();
  }
  barrier_in_all_threads();
  while (running_now() > own && !is_stopping()) treadle::this_task::sleep_for_ns(20'000);
  return 1;
}

void ocrResume(u32 flag) {
  if (flag != 0) end_pause();
}

ocrGuid_t ocrQuery(ocrQueryType_t query, ocrGuid_t guid, void** result, u32* size, u8) {
  if (result) *result = nullptr;
  if (size) *size = 0;
  if (state.paused.load(order::relaxed) == 0) return NULL_GUID;
  query_result all{query, {}};
  if (query == OCR_QUERY_LAST_SATISFIED_DB) {
    const reference found = resolve(guid, kind::event);
    if (!found) return NULL_GUID;
    const treadle::detail::scoped_lock hold(found.at->lock);
    all.found.push_back(guid_of(found.at->as<event>().payload));
  } else {
    for_each_place(add_found, &all);
  }
  const std::size_t bytes = all.found.size() * sizeof(ocrGuid_t);
  const reference made = make_block(bytes != 0 ? bytes : sizeof(ocrGuid_t), DB_PROP_NONE, current_edt());
  block& what = made.at->as<block>();
  if (bytes != 0) std::memcpy(what.data, all.found.data(), bytes);
  if (result) *result = what.data;
  if (size) *size = static_cast<u32>(bytes);
  return guid_of(made.guid);
}

void ocrInjectFault() {}
