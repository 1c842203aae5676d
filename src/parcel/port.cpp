#include "parcel/port.hpp"

#include "base/clock.hpp"
#include "base/sync/park.hpp"
#include "observe/emit.hpp"

#include <treadle/this_task.hpp>

#include <algorithm>
#include <utility>

namespace treadle::detail {

parcel_port::parcel_port(std::unique_ptr<transport> over, parcel_receiver& receiver)
    : m_transport(std::move(over)), m_receiver(receiver), m_outboxes(m_transport->size()), m_waits([this] { run(); }) {}

parcel_port::~parcel_port() {
  m_exits.store(1, order::release);
  m_transport->wake();
  m_waits.join();
}

void parcel_port::send(unsigned to, std::span<const std::byte> message, counting counted) {
  if (TREADLE_UNLIKELY(m_failed.load(order::acquire) != 0)) std::rethrow_exception(m_failure);
  outbox& box = m_outboxes[to];
  for (std::vector<std::byte> own;;) {
    {
      const scoped_lock guard(box.lock);
      if (box.kept.empty() && m_transport->send(to, message)) {
        box.sent += counted == counting::yes;
        return;
      }
      // A handler cannot wait: what it sends is kept, however much that is. It is bounded by what was asked of it.
      if (box.kept_bytes < k_most_kept || callback_scope::is_inside()) {
        box.kept.emplace_back(message.begin(), message.end());
        box.kept_bytes += message.size();
        box.is_kept.store(1, order::relaxed);
        m_transport->wake(); // it is sent by whoever polls
        box.sent += counted == counting::yes;
        return;
      }
    }
    if (own.empty()) { // the caller's bytes are its thread's, and it may go on with another one
      own.assign(message.begin(), message.end());
      message = own;
    }
    this_task::sleep_for_ns(50'000);
    if (m_failed.load(order::acquire) != 0) std::rethrow_exception(m_failure);
  }
}

bool parcel_port::flush(unsigned to) {
  outbox& box = m_outboxes[to];
  if (box.is_kept.load(order::relaxed) == 0) return false;
  const scoped_lock guard(box.lock);
  while (box.next < box.kept.size()) {
    if (!m_transport->send(to, box.kept[box.next])) return true;
    box.kept_bytes -= box.kept[box.next].size();
    box.kept[box.next++] = {};
  }
  box.kept.clear();
  box.next = 0;
  box.is_kept.store(0, order::relaxed);
  return false;
}

/// True while something is kept.
bool parcel_port::flush() noexcept {
  bool keeps = false;
  try {
    for (unsigned to = 0; to < size(); ++to) keeps |= flush(to);
  } catch (...) {
    fail();
  }
  return keeps;
}

bool parcel_port::poll() noexcept {
  if (m_failed.load(order::relaxed) != 0) return false;
  const scoped_try_lock guard(m_polls);
  if (!guard) return false;
  try {
    flush();
    return m_transport->poll(*this);
  } catch (...) {
    fail();
    return false;
  }
}

void parcel_port::end_polling() noexcept {
  m_transport->end_polling();
  if (poll()) m_transport->wake();
}

void parcel_port::arrived(unsigned from, std::span<const std::byte> message) {
  const callback_scope handles; // must not wait
  m_receiver.arrived(from, message);
}

std::uint64_t parcel_port::sent() const noexcept {
  std::uint64_t sum = 0;
  for (const outbox& box : m_outboxes) {
    const scoped_lock guard(box.lock);
    sum += box.sent;
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
  m_receiver.failed(m_failure);
}

void parcel_port::run() {
  constexpr std::int64_t k_lookout_ns = 20'000; // after a message: the next one is often near
  constexpr std::int64_t k_nap_ns_min = 50'000, k_nap_ns_max = 5'000'000;
  std::int64_t nap_ns = k_nap_ns_min;
  while (m_exits.load(order::acquire) == 0) {
    begin_polling();
    for (std::int64_t end = steady_now_ns() + k_lookout_ns; steady_now_ns() < end;) {
      if (poll()) {
        end = steady_now_ns() + k_lookout_ns;
        nap_ns = k_nap_ns_min;
      }
      cpu_relax();
    }
    end_polling();
    bool keeps = false;
    for (outbox& box : m_outboxes) keeps |= box.is_kept.load(order::relaxed) != 0;
    m_transport->wait(keeps ? nap_ns : k_forever_ns);
    nap_ns = keeps ? std::min(2 * nap_ns, k_nap_ns_max) : k_nap_ns_min;
  }
}

} // namespace treadle::detail
