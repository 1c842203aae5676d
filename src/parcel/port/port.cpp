#include "parcel/port/port.hpp"

#include "base/clock.hpp"
#include "base/sync/park.hpp"

#include <treadle/detail/spinlock.hpp>
#include <treadle/this_task.hpp>

#include <algorithm>
#include <utility>

namespace treadle::detail {

/// Of the calling thread, which handles messages meanwhile.
static constinit thread_local bool is_looking = false;

/// A parcel that leaves at once, and has this many bytes, is sent from where it is, behind what was gathered.
static constexpr std::size_t k_not_copied = std::size_t{16} << 10U;

parcel_port::parcel_port(std::unique_ptr<transport> over, parcel_receiver& receiver, std::uint64_t first_number)
    : m_transport(std::move(over)), m_receiver(receiver), m_outboxes(m_transport->size()) {
  for (unsigned to = 0; to < size(); ++to) {
    m_outboxes[to].to = to;
    m_outboxes[to].parcels = first_number;
  }
  init_asymmetric_fence();
}

void parcel_port::start() {
  m_waits = std::thread([this] { run(); });
}

void parcel_port::send(unsigned to, std::span<const std::byte> parcel, std::uint32_t lane,
                       std::vector<std::byte>* owner) {
  try {
    send_or_wait(to, parcel, lane, owner);
  } catch (...) {
    fail(); // what is on its way is not whole any more
    throw;
  }
}

void parcel_port::send_or_wait(unsigned to, std::span<const std::byte> parcel, std::uint32_t number,
                               std::vector<std::byte>* owner) {
  check();
  const std::size_t bytes = parcel.size(); // it may be taken away
  outbox& box = m_outboxes[to];
  for (;;) {
    bool looks = false;
    lane* mine = nullptr;
    std::uint64_t nth = 0;
    const std::int64_t start = begin_telling(event_kind::parcel_sent);
    {
      const locked guard(box);
      note_sender(box);
      if (has_room(box)) {
        mine = &lane_of(box, number);
        add(box, *mine, parcel, owner);
        looks = wants_look(*mine);
        nth = box.parcels;
      }
    }
    if (looks) look_at(box, *mine);
    if (mine && start != 0) tell(event_kind::parcel_sent, start, number, to, nth, bytes);
    if (mine) return;
    const std::int64_t since = steady_now_ns();
    this_task::sleep_for_ns(50'000);
    box.waited_ns.fetch_add(steady_now_ns() - since, order::relaxed);
    check();
  }
}

void parcel_port::send_large(unsigned to, std::vector<std::byte>& first, std::span<const std::byte> rest,
                             std::uint32_t number) {
  constexpr std::int64_t k_lookout_ns = 100'000, k_later_lookout_ns = 20'000, k_nap_ns = 50'000;
  outbox& box = m_outboxes[to];
  bool has_left = false, is_added = false;
  const std::int64_t start = steady_now_ns();
  std::int64_t nap_at = start + k_lookout_ns;
  try {
    for (patient_spin spin;; spin.wait()) {
      if (is_added ? push_large(box, has_left) : begin_large(box, first, rest, number, is_added, has_left)) break;
      if (steady_now_ns() < nap_at) continue;
      try {
        this_task::sleep_for_ns(k_nap_ns);
      } catch (...) { // who may not wait looks on
        if (!is_added) throw;
      }
      nap_at = steady_now_ns() + k_later_lookout_ns;
    }
  } catch (...) {
    if (is_added) fail(); // what is on its way is not whole any more
    const locked guard(box);
    if (is_added) m_transport->abandon(to);
    std::erase_if(box.kept, [&](const kept_message& one) { return one.has_left == &has_left; });
    throw;
  }
  box.waited_ns.fetch_add(steady_now_ns() - start, order::relaxed);
}

parcel_place parcel_port::begin(unsigned to, std::uint32_t number, std::size_t bytes) {
  outbox& box = m_outboxes[to];
  box.lock.lock();
  try {
    check(); // with the lock, for which fail() waits: there is a port until end()
    end_run(box);
    note_sender(box);
    if (has_room(box)) {
      lane& of = lane_of(box, number);
      if (box.gathered.empty()) begin_gathering(box, of);
      box.written = &of;
      return {box.gathered.extend(bytes), &box};
    }
  } catch (...) {
    box.lock.unlock();
    fail();
    throw;
  }
  box.lock.unlock();
  return {};
}

void parcel_port::end(const parcel_place& written, std::uint32_t action, std::size_t bytes) {
  outbox& box = *static_cast<outbox*>(written.box);
  lane& of = *box.written;
  const std::int64_t start = begin_telling(event_kind::parcel_sent);
  std::uint64_t number = 0;
  bool looks = false;
  try {
    if (put(box, of, bytes)) {
      send_gathered(box);
    } else {
      note_holding(box);
      if (++box.streak >= box.patience) open_run(box, of, action, bytes);
    }
    looks = wants_look(of);
    number = box.parcels;
    box.lock.unlock();
  } catch (...) {
    box.lock.unlock();
    fail(); // what is on its way is not whole any more
    throw;
  }
  if (TREADLE_UNLIKELY(looks)) look_at(box, of);
  if (TREADLE_UNLIKELY(start != 0)) tell(event_kind::parcel_sent, start, of.number, box.to, number, bytes);
}

void parcel_port::add(outbox& box, lane& of, std::span<const std::byte> parcel, std::vector<std::byte>* owner) {
  const bool leaves = put(box, of, parcel.size());
  if (leaves && parcel.size() >= k_not_copied) send_gathered(box);
  if (leaves && box.gathered.empty()) return send_message(box, of, parcel, owner);
  if (box.gathered.empty()) begin_gathering(box, of);
  box.gathered.append(parcel);
  leaves ? send_gathered(box) : note_holding(box);
}

// Never inlined, as what is a thread's own is found anew each time: their caller goes on in other threads.

/// It leaves behind what was gathered, and is kept where there is no room; in a handler, which cannot wait, a copy of
/// it is. Not added: nobody may add anything at the moment. True when it needs its sender no more.
TREADLE_NOINLINE bool parcel_port::begin_large(outbox& box, std::vector<std::byte>& first,
                                               std::span<const std::byte> rest, std::uint32_t number, bool& is_added,
                                               bool& has_left) {
  check();
  const std::size_t bytes = first.size() + rest.size();
  const std::int64_t start = begin_telling(event_kind::parcel_sent);
  lane* of = nullptr;
  std::uint64_t nth = 0;
  bool looks = false, is_done = false;
  const auto give_copy = [&] { // by a handler, which must not wait
    first.insert(first.end(), rest.begin(), rest.end());
    rest = {};
  };
  if (callback_scope::is_inside() && m_transport->keeps_second_parts()) give_copy();
  {
    const locked guard(box);
    note_sender(box);
    if (!has_room(box)) return false;
    of = &lane_of(box, number);
    is_added = true;
    if (!put(box, *of, bytes)) box.gathers.flush();
    send_gathered(box);
    ++of->messages;
    is_done = box.kept.empty() && transmit(box, [&] { return m_transport->send(box.to, message_parts(first, rest)); });
    if (!is_done) {
      if (callback_scope::is_inside()) give_copy();
      is_done = rest.empty();
      keep(box, {std::move(first), rest, is_done ? nullptr : &has_left});
    }
    looks = wants_look(*of);
    nth = box.parcels;
  }
  if (looks) look_at(box, *of);
  if (start != 0) tell(event_kind::parcel_sent, start, number, box.to, nth, bytes);
  return is_done;
}

/// True when it has left. Runs of others go on.
TREADLE_NOINLINE bool parcel_port::push_large(outbox& box, const bool& has_left) {
  check();
  const scoped_try_lock guard(box.lock);
  if (!guard) return false;
  if (!has_left) send_kept(box);
  return has_left;
}

/// Where the transport has room it is put together there, unless others have to leave before it.
void parcel_port::begin_gathering(outbox& box, lane& first) {
  constexpr std::size_t k_room = std::size_t{72} << 10U; // more than what leaves together in most cases
  box.first = &first;
  box.gathered.clear(); // where nothing came of what was begun last
  if (!box.kept.empty()) return;
  if (const std::span<std::byte> room = m_transport->reserve(box.to, k_room); !room.empty()) box.gathered.lend(room);
}

/// `send` is false when there is no room.
template <class Send>
bool parcel_port::transmit(outbox& box, Send send) {
  constexpr std::uint64_t k_each = 16; // that is timed
  check();                             // behind a failure the last message may not be whole
  if (TREADLE_LIKELY(++box.messages % k_each != 0)) return send();
  const std::int64_t start = ticks_now();
  const bool is_sent = send();
  const std::int64_t took = ticks_now() - start;
  if (!is_looking) box.sending_ticks += static_cast<std::int64_t>(k_each) * took; // else it is a part of that
  if (is_sent) box.message_ticks += box.message_ticks == 0 ? took : (took - box.message_ticks) / 4;
  return is_sent;
}

void parcel_port::send_message(outbox& box, lane& of, std::span<const std::byte> message,
                               std::vector<std::byte>* owner) {
  ++of.messages;
  if (box.kept.empty() && transmit(box, [&] { return m_transport->send(box.to, message); })) return;
  keep(box, {owner ? std::move(*owner) : std::vector(message.begin(), message.end())});
}

void parcel_port::keep(outbox& box, kept_message message) {
  box.kept_bytes += message.first.size();
  box.kept.push_back(std::move(message));
  note_holding(box);
}

void parcel_port::send_gathered(outbox& box) {
  if (box.gathered.empty()) return;
  if (box.gathered.is_lent()) {
    ++box.first->messages;
    transmit(box, [&] {
      m_transport->send_reserved(box.to, box.gathered.all().size());
      return true;
    });
  } else {
    send_message(box, *box.first, box.gathered.all(), nullptr);
  }
  box.gathered.clear();
}

/// Somebody looks at it again: who looks for messages, or the thread, which looks once more before it sleeps.
void parcel_port::begin_holding(outbox& box) {
  box.holds.exchange(1, order::seq_cst);
  if (m_sleeps.load(order::seq_cst) != 0) m_transport->wake();
}

/// Such a run is left alone by who looks for what is due: its thread is about to look at the wire itself.
static bool is_young(std::int64_t began) noexcept {
  constexpr std::int64_t k_young_ns = 20'000;
  return ticks_now() - began < ns_to_ticks(k_young_ns);
}

/// True when something has left that had no room before.
bool parcel_port::flush(outbox& box, leaving what) {
  if (box.holds.load(order::relaxed) == 0) return false;
  if (what == leaving::all) {
    const locked guard(box);
    return flush_with_lock(box, what);
  }
  if (box.run.load(order::relaxed) && is_young(box.run_began.load(order::relaxed))) return false;
  const scoped_try_lock guard(box.lock);
  if (!guard) return false; // mostly because somebody sends; `holds` stays, so somebody looks again
  if (const parcel_run* const run = box.run.load(order::relaxed))
    if (run->is_used() || (box.kept.empty() && !is_due(box))) return false; // the same
  end_run(box);
  return flush_with_lock(box, what);
}

bool parcel_port::is_due(const outbox& box) {
  return box.first &&
         box.gathers.is_due(box.first->how, ticks_to_ns(ticks_now()), [&] { return m_transport->is_free(box.to); });
}

/// True when one has left.
bool parcel_port::send_kept(outbox& box) {
  bool any = false;
  const auto send = [&] { return m_transport->send(box.to, box.kept.front().parts()); };
  for (; !box.kept.empty() && transmit(box, send); box.kept.pop_front()) {
    box.kept_bytes -= box.kept.front().first.size();
    if (bool* const has_left = box.kept.front().has_left) *has_left = true;
    any = true;
  }
  return any;
}

bool parcel_port::flush_with_lock(outbox& box, leaving what) {
  const bool any = send_kept(box);
  if (!box.kept.empty()) return any;
  if (what == leaving::all || is_due(box)) {
    box.gathers.flush();
    send_gathered(box);
  }
  if (box.kept.empty() && box.gathered.empty()) box.holds.store(0, order::relaxed);
  return any;
}

bool parcel_port::flush(leaving what) noexcept {
  bool any = false;
  try {
    for (outbox& box : m_outboxes) any |= flush(box, what);
  } catch (...) {
    fail();
  }
  return any;
}

bool parcel_port::look() noexcept {
  constexpr std::uint32_t k_each = 8; // that is timed
  if (m_failed.load(order::relaxed) != 0) return false;
  const bool is_timed = ++m_looks % k_each == 0;
  const std::int64_t start = is_timed ? ticks_now() : 0;
  bool any = false;
  is_looking = true;
  try {
    any = flush(leaving::due);
    any |= m_transport->poll(*this);
  } catch (...) {
    fail();
  }
  is_looking = false;
  if (is_timed)
    m_looking_ticks.store(m_looking_ticks.load(order::relaxed) + k_each * (ticks_now() - start), order::relaxed);
  return any;
}

bool parcel_port::poll(poller who) noexcept {
  if (who == poller::idle && m_waiters.load(order::relaxed) != 0) return false;
  return m_turns.poll([this]() noexcept { return look(); });
}

void parcel_port::begin_polling(poller who) noexcept {
  if (who == poller::waiter) m_waiters.fetch_add(1, order::relaxed);
  m_transport->begin_polling();
  flush();
}
void parcel_port::end_polling(poller who) noexcept {
  if (who == poller::waiter) m_waiters.fetch_sub(1, order::relaxed);
  m_transport->end_polling();
  if (m_turns.poll_last([this]() noexcept { return look(); })) m_transport->wake();
}

void parcel_port::arrived(unsigned from, std::span<const std::byte> message) {
  const callback_scope handles; // must not wait
  m_receiver.arrived(from, message);
}

std::unique_ptr<message_in_pieces> parcel_port::begin_pieces(unsigned from, std::span<const std::byte> first,
                                                             std::size_t bytes) {
  return m_receiver.begin_pieces(from, first, bytes);
}
void parcel_port::end_pieces(unsigned from, message_in_pieces& whole) {
  const callback_scope handles; // must not wait
  m_receiver.end_pieces(from, whole);
}

void parcel_port::tell(event_kind kind, std::int64_t begin_ticks, std::uint32_t lane, unsigned other,
                       std::uint64_t number, std::size_t bytes) const noexcept {
  std::string_view name = "a parcel";
  try {
    name = kept_for_traces(m_receiver.name_of_lane(lane));
  } catch (const std::bad_alloc&) {
  }
  const parcel_facts facts{static_cast<std::uint32_t>(bytes), ticks_now() - begin_ticks, other, number};
  emit(facts.as_record(kind, name));
}

parcel_port::counts parcel_port::sent(std::uint32_t lane) noexcept {
  counts sum;
  for (outbox& box : m_outboxes) {
    const locked guard(box);
    if (lane >= box.lanes.size() || !box.lanes[lane]) continue;
    sum.parcels += box.lanes[lane]->parcels;
    sum.messages += box.lanes[lane]->messages;
    sum.bytes += box.lanes[lane]->bytes;
    sum.gaps.add(box.lanes[lane]->gaps);
  }
  return sum;
}

std::uint64_t parcel_port::parcels_sent(std::uint32_t from_lane) noexcept {
  std::uint64_t sum = 0;
  for (outbox& box : m_outboxes) {
    const locked guard(box);
    for (std::size_t number = from_lane; number < box.lanes.size(); ++number)
      if (box.lanes[number]) sum += box.lanes[number]->parcels;
  }
  return sum;
}

parcel_port::times parcel_port::spent() const noexcept {
  std::int64_t sending = 0;
  for (const outbox& box : m_outboxes) {
    const scoped_lock guard(box.lock);
    sending += box.sending_ticks;
  }
  return {static_cast<double>(ticks_to_ns(sending)),
          static_cast<double>(ticks_to_ns(m_looking_ticks.load(order::relaxed)))};
}

void parcel_port::fail() noexcept {
  {
    const scoped_lock guard(m_fails);
    if (m_failed.load(order::relaxed) != 0) return;
    m_failure = std::current_exception();
    m_failed.store(1, order::release);
  }
  for (outbox& box : m_outboxes) const locked no_run(box); // what is sent from here on finds out
  const callback_scope handles;                            // must not wait
  m_receiver.failed(m_failure);
}

void parcel_port::run() {
  constexpr std::int64_t k_nap_ns_min = 50'000, k_nap_ns_max = 2'000'000;
  constexpr unsigned k_naps = 16; // after something was held back: then who holds back need not wake this thread
  const std::int64_t lookout = ns_to_ticks(m_transport->lookout_ns());
  std::int64_t nap_ns = k_nap_ns_min;
  unsigned naps = 0;
  bool woke_by_time = false; // not by a message: no other one is near
  while (m_exits.load(order::acquire) == 0) {
    m_transport->begin_polling();
    std::int64_t end = 0; // of the lookout, which begins with a message
    patient_spin spin;
    do {
      if (poll(poller::idle) && !woke_by_time) {
        end = ticks_now() + lookout;
        nap_ns = k_nap_ns_min;
      } else {
        spin.wait();
      }
    } while (ticks_now() < end);
    end_polling(poller::idle);
    const auto holds = [this] {
      return std::any_of(m_outboxes.begin(), m_outboxes.end(),
                         [](const outbox& box) { return box.holds.load(order::seq_cst) != 0; });
    };
    if (holds()) naps = k_naps;
    if (naps == 0) {
      m_sleeps.exchange(1, order::seq_cst); // pairs with begin_holding()
      if (holds()) naps = k_naps;
    }
    const std::int64_t began = ticks_now();
    m_transport->wait(naps != 0 ? nap_ns : k_forever_ns);
    woke_by_time = naps != 0 && ticks_now() - began >= ns_to_ticks(nap_ns);
    m_sleeps.store(0, order::relaxed);
    if (naps != 0) --naps;
    nap_ns = naps != 0 ? std::min(2 * nap_ns, k_nap_ns_max) : k_nap_ns_min; // mostly those who send see to it
  }
}

} // namespace treadle::detail
