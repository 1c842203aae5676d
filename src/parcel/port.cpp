#include "parcel/port.hpp"

#include "base/clock.hpp"
#include "base/sync/park.hpp"
#include "observe/emit.hpp"

#include <treadle/this_task.hpp>

#include <algorithm>
#include <utility>

namespace treadle::detail {

parcel_port::parcel_port(std::unique_ptr<transport> over, parcel_receiver& receiver)
    : m_transport(std::move(over)), m_receiver(receiver), m_outboxes(m_transport->size()) {}

void parcel_port::start() {
  m_waits = std::thread([this] { run(); });
}

parcel_port::~parcel_port() {
  m_exits.store(1, order::release);
  m_transport->wake();
  if (m_waits.joinable()) m_waits.join();
}

void parcel_port::send(unsigned to, std::span<const std::byte> parcel, const coalescing& how,
                       std::vector<std::byte>* owner) {
  try {
    send_or_wait(to, parcel, how, owner);
  } catch (...) {
    fail(); // what is on its way is not whole any more
    throw;
  }
}

void parcel_port::send_or_wait(unsigned to, std::span<const std::byte> parcel, const coalescing& how,
                               std::vector<std::byte>* owner) {
  if (TREADLE_UNLIKELY(m_failed.load(order::acquire) != 0)) std::rethrow_exception(m_failure);
  outbox& box = m_outboxes[to];
  for (;;) {
    {
      const scoped_lock guard(box.lock);
      // A handler cannot wait: what it sends is kept, however much that is. It is bounded by what was asked of it.
      if (TREADLE_LIKELY(box.kept_bytes < k_most_kept) || callback_scope::is_inside()) {
        ++box.sent.parcels;
        const bool leaves = box.gathers.put(
            how, [] { return ticks_to_ns(ticks_now()); }, parcel.size(),
            [&] { return box.kept.empty() && m_transport->is_free(to); });
        if (leaves && parcel.size() >= how.bytes) send_gathered(to, box); // not worth a copy
        if (leaves && box.gathered.empty()) return send_message(to, box, parcel, owner);
        if (box.gathered.empty()) box.how = how;
        box.gathered.append(parcel);
        leaves ? send_gathered(to, box) : note_holding(box);
        return;
      }
    }
    this_task::sleep_for_ns(50'000);
    if (m_failed.load(order::acquire) != 0) std::rethrow_exception(m_failure);
  }
}

// With the lock of the box

void parcel_port::send_message(unsigned to, outbox& box, std::span<const std::byte> message,
                               std::vector<std::byte>* owner) {
  ++box.sent.messages;
  box.sent.bytes += message.size();
  if (box.kept.empty() && m_transport->send(to, message)) return;
  box.kept_bytes += message.size();
  owner ? box.kept.emplace_back(std::move(*owner)) : box.kept.emplace_back(message.begin(), message.end());
  note_holding(box);
}

void parcel_port::send_gathered(unsigned to, outbox& box) {
  if (box.gathered.empty()) return;
  send_message(to, box, box.gathered.all(), nullptr);
  box.gathered.clear();
}

/// Somebody looks at it again: who looks for messages, or the thread, which looks once more before it sleeps.
void parcel_port::note_holding(outbox& box) {
  if (box.holds.load(order::relaxed) != 0) return;
  box.holds.exchange(1, order::seq_cst);
  if (m_sleeps.load(order::seq_cst) != 0) m_transport->wake();
}

/// True when something has left.
bool parcel_port::flush(unsigned to, leaving what) {
  outbox& box = m_outboxes[to];
  if (box.holds.load(order::relaxed) == 0) return false;
  const scoped_lock guard(box.lock);
  bool any = false;
  for (; !box.kept.empty(); box.kept.pop_front()) {
    if (!m_transport->send(to, box.kept.front())) return any;
    box.kept_bytes -= box.kept.front().size();
    any = true;
  }
  const bool leaves = what == leaving::all ? box.gathers.flush()
                                           : box.gathers.look(box.how, ticks_to_ns(ticks_now()),
                                                              [&] { return m_transport->is_free(to); });
  if (leaves) send_gathered(to, box);
  if (box.kept.empty() && box.gathered.empty()) box.holds.store(0, order::relaxed);
  return any || leaves;
}

bool parcel_port::flush(leaving what) noexcept {
  bool any = false;
  try {
    for (unsigned to = 0; to < size(); ++to) any |= flush(to, what);
  } catch (...) {
    fail();
  }
  return any;
}

bool parcel_port::look() noexcept {
  if (m_failed.load(order::relaxed) != 0) return false;
  try {
    const bool has_sent = flush(leaving::due);
    return m_transport->poll(*this) || has_sent;
  } catch (...) {
    fail();
    return false;
  }
}

bool parcel_port::poll() noexcept {
  return m_turns.poll([this]() noexcept { return look(); });
}

void parcel_port::begin_polling() noexcept {
  m_transport->begin_polling();
  flush();
}
void parcel_port::end_polling() noexcept {
  m_transport->end_polling();
  if (m_turns.poll_last([this]() noexcept { return look(); })) m_transport->wake();
}

void parcel_port::arrived(unsigned from, std::span<const std::byte> message) {
  const callback_scope handles; // must not wait
  m_receiver.arrived(from, message);
}

parcel_port::counts parcel_port::sent() const noexcept {
  counts sum;
  for (const outbox& box : m_outboxes) {
    const scoped_lock guard(box.lock);
    sum.parcels += box.sent.parcels;
    sum.messages += box.sent.messages;
    sum.bytes += box.sent.bytes;
  }
  return sum;
}

void parcel_port::fail() noexcept {
  {
    const scoped_lock guard(m_fails);
    if (m_failed.load(order::relaxed) != 0) return;
    m_failure = std::current_exception();
    m_failed.store(1, order::release);
  }
  const callback_scope handles; // must not wait
  m_receiver.failed(m_failure);
}

void parcel_port::run() {
  constexpr std::int64_t k_lookout_ns = 20'000; // after a message: the next one is often near
  constexpr std::int64_t k_nap_ns_min = 50'000, k_nap_ns_max = 2'000'000;
  std::int64_t nap_ns = k_nap_ns_min;
  while (m_exits.load(order::acquire) == 0) {
    m_transport->begin_polling();
    std::int64_t end = 0; // of the lookout, which begins with a message
    do {
      if (poll()) {
        end = ticks_now() + ns_to_ticks(k_lookout_ns);
        nap_ns = k_nap_ns_min;
      } else {
        cpu_relax();
      }
    } while (ticks_now() < end);
    end_polling();
    m_sleeps.exchange(1, order::seq_cst); // pairs with note_holding()
    bool holds = false;
    for (outbox& box : m_outboxes) holds |= box.holds.load(order::seq_cst) != 0;
    m_transport->wait(holds ? nap_ns : k_forever_ns);
    m_sleeps.store(0, order::relaxed);
    nap_ns = holds ? std::min(2 * nap_ns, k_nap_ns_max) : k_nap_ns_min; // mostly those who send see to it
  }
}

} // namespace treadle::detail
