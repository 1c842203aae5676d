// src/parcel: records of a ring arrive once, whole and in order; a receiver that sleeps is woken by what is sent; what
// a thread writes into a message without the lock is there for who takes the message.
#include "model/protocols.hpp"
#include "model/support.hpp"
#include "parcel/port/polling_turns.hpp"
#include "parcel/transport/bell.hpp"
#include "parcel/transport/byte_ring.hpp"

#include <treadle/detail/parcel_run.hpp>
#include <treadle/detail/spinlock.hpp>

namespace treadle::check {
namespace {

constexpr std::size_t k_capacity = 32; // two records of a word

struct channel {
  detail::ring_positions positions;
  alignas(8) std::byte bytes[k_capacity] = {};
  detail::bell rings;
  plain<std::uint64_t> places[2] = {0, 0}; ///< stand for the bytes of the ring, which the explorer does not see
};

/// As shared_memory::send(); waits for room.
void send(channel& over, detail::ring_writer& writer, std::uint64_t number) {
  std::byte* room = nullptr;
  while (!(room = writer.begin(sizeof number))) detail::cpu_relax();
  std::memcpy(room, &number, sizeof number);
  over.places[number % 2] = number;
  writer.end(sizeof number);
  over.rings.ring();
}

/// True when there was a record, which has to be `next`.
bool receive(channel& over, detail::ring_reader& reader, std::uint64_t& next) {
  const detail::ring_reader::record one = reader.begin();
  require(!one.is_damaged, "the ring is in order");
  if (!one.bytes) return false;
  std::uint64_t number = 0;
  require(one.size == sizeof number, "the record is whole");
  std::memcpy(&number, one.bytes, sizeof number);
  require(number == next, "records come in order, each once");
  require(over.places[number % 2] == number, "what was written before is seen, and nothing of what is written later");
  ++next;
  reader.end();
  return true;
}

/// The receiver sleeps whenever there is nothing.
void sleeps(std::uint64_t records) {
  channel over;
  thread sender([&] {
    detail::ring_writer writer(over.positions, over.bytes, k_capacity);
    for (std::uint64_t i = 0; i < records; ++i) send(over, writer, i);
  });
  detail::ring_reader reader(over.positions, over.bytes, k_capacity);
  std::uint64_t next = 0;
  std::uint32_t seen = over.rings.calls();
  while (next < records) {
    over.rings.disarm();
    while (receive(over, reader, next)) {
    }
    over.rings.arm();
    if (receive(over, reader, next) || next == records) continue;
    over.rings.sleep(seen);
    seen = over.rings.calls();
  }
  sender.join();
}

/// A ring that is full in between.
void full() {
  channel over;
  thread sender([&] {
    detail::ring_writer writer(over.positions, over.bytes, k_capacity);
    for (std::uint64_t i = 0; i < 3; ++i) send(over, writer, i);
  });
  detail::ring_reader reader(over.positions, over.bytes, k_capacity);
  std::uint64_t next = 0;
  while (next < 3) {
    if (!receive(over, reader, next)) detail::cpu_relax();
  }
  sender.join();
}

/// A worker of the receiver looks once, and its thread whenever the bell has rung: one of them receives what was sent,
/// and then the thread is told to end.
void two_look() {
  channel over;
  detail::polling_turns turns;
  atomic<std::uint32_t> looking{0}, done{0}, exits{0};
  detail::ring_reader reader(over.positions, over.bytes, k_capacity);
  plain<std::uint64_t> next = 0;
  const auto poll = [&]() noexcept {
    std::uint64_t at = next;
    if (!receive(over, reader, at)) return false;
    next = at;
    done.store(1, order::release);
    detail::futex_wake(done);
    return true;
  };
  // As parcel_port and shared_memory: begin_polling(), poll() and end_polling().
  const auto look = [&] {
    if (looking.fetch_add(1, order::relaxed) == 0) over.rings.disarm();
    turns.poll(poll);
    if (looking.fetch_sub(1, order::acq_rel) == 1) over.rings.arm();
    if (turns.poll_last(poll)) over.rings.call();
  };
  thread sender([&] {
    detail::ring_writer writer(over.positions, over.bytes, k_capacity);
    send(over, writer, 0);
    while (done.load(order::acquire) == 0) detail::futex_wait(done, 0);
    exits.store(1, order::relaxed);
    over.rings.call();
  });
  thread worker([&] { look(); });
  std::uint32_t seen = over.rings.calls();
  while (exits.load(order::relaxed) == 0) {
    look();
    const std::uint32_t before = seen;
    seen = over.rings.calls();
    if (before == seen) over.rings.sleep(seen);
  }
  sender.join();
  worker.join();
}

/// As one of parcel_port.
struct outbox {
  static constexpr unsigned k_to = 1, k_action = 5, k_bytes = 8, k_most = 3;

  // With the lock
  void open(detail::parcel_run& run) {
    run.open(this, k_to, k_action, k_bytes, 0, room, sizeof room, 1,
             [](const detail::parcel_run::part&) { return std::size_t{100}; });
    open_run = &run;
  }
  void end_run(bool is_own) {
    detail::parcel_run* const run = open_run;
    if (!run) return;
    run->close(is_own, [&](const detail::parcel_run::part& one) { take(one.parcels); });
    open_run = nullptr;
  }
  void take(std::uint32_t parcels) {
    for (; parcels > 0; --parcels, taken = taken + 1)
      require(message[taken] == taken + 1, "what has been counted is there");
  }

  detail::spinlock lock;
  plain<detail::parcel_run*> open_run = nullptr;
  plain<unsigned> message[k_most] = {0, 0, 0}, taken = 0;
  std::byte room[k_bytes * k_most];
};

/// A thread writes into a message, mostly by a run, which another one ends meanwhile; then it goes on elsewhere.
void run_is_taken_back() {
  detail::parcel_run run;
  outbox first, second;
  const auto send = [&](outbox& to, unsigned number) {
    if (run.begin(to.k_to, to.k_action, to.k_bytes)) {
      to.message[number - 1] = number;
      run.end(to.k_action, to.k_bytes);
      return;
    }
    const detail::scoped_lock guard(to.lock);
    to.end_run(true);
    to.message[number - 1] = number;
    to.take(1);
    if (number < to.k_most) to.open(run);
  };
  in_parallel({[&] {
                 for (unsigned i = 1; i <= outbox::k_most; ++i) send(first, i);
                 if (run.outbox()) return; // it goes on there
                 const detail::scoped_lock guard(second.lock);
                 second.open(run);
                 second.end_run(true);
               },
               [&] {
                 const detail::scoped_lock guard(first.lock);
                 first.end_run(false);
               }});
  first.end_run(true);
  require(first.taken == outbox::k_most && second.taken == 0, "every parcel is in its message, once");
}

} // namespace

std::vector<scenario> parcel_scenarios() {
  return {
      {"parcel_sleeps", [] { sleeps(1); }}, {"parcel_sleeps_twice", [] { sleeps(2); }}, {"parcel_full", full},
      {"parcel_two_look", two_look},        {"parcel_run", run_is_taken_back},
  };
}

} // namespace treadle::check
