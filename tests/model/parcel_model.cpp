// src/parcel: records of a ring arrive once, whole and in order; a receiver that sleeps is woken by what is sent; what
// a thread writes into a message without the lock is there for who takes the message.
#include "model/protocols.hpp"
#include "model/support.hpp"
#include "parcel/bell.hpp"
#include "parcel/byte_ring.hpp"
#include "parcel/polling_turns.hpp"

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

/// As shared_memory::put(); waits for room.
void send(channel& over, detail::ring_writer& writer, std::uint64_t number) {
  std::byte* room = nullptr;
  while (!(room = writer.begin(sizeof number))) detail::cpu_relax();
  std::memcpy(room, &number, sizeof number);
  over.places[number % 2] = number;
  writer.end();
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

/// A worker of the receiver looks once, and its thread whenever the bell has rung: what was sent is received, whoever
/// of them does it, and then the thread is told to end.
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

/// As an outbox of parcel_port: a thread writes into the message, mostly by a run, which another one ends meanwhile.
void run_is_taken_back() {
  constexpr unsigned k_to = 1, k_action = 5, k_bytes = 8;
  constexpr int k_parcels = 3;
  detail::spinlock lock;
  detail::parcel_run run;
  plain<bool> is_open = false;
  plain<int> message[k_parcels] = {0, 0, 0}, taken = 0;
  std::byte room[k_bytes * k_parcels];
  const auto open = [&] {
    run.open(&lock, k_to, k_action, k_bytes, 0, room, sizeof room, [](std::uint32_t) { return std::size_t{100}; });
    is_open = true;
  };
  const auto take = [&](int parcels) {
    for (int last = taken + parcels; taken < last; taken = taken + 1)
      require(message[taken] == taken + 1, "what has been counted is there");
  };
  const auto end_run = [&](bool is_own) {
    if (!is_open) return;
    run.close(is_own);
    is_open = false;
    run.for_each_part([&](const detail::parcel_run::part& one) { take(static_cast<int>(one.parcels)); });
  };
  in_parallel({[&] {
                 for (int i = 0; i < k_parcels; ++i) {
                   if (run.begin(k_to, k_action, k_bytes)) {
                     message[i] = i + 1;
                     run.end(k_action, k_bytes);
                   } else {
                     const detail::scoped_lock guard(lock);
                     end_run(true);
                     message[i] = i + 1;
                     take(1);
                     if (i + 1 < k_parcels) open();
                   }
                 }
                 const detail::scoped_lock guard(lock);
                 end_run(true);
               },
               [&] {
                 const detail::scoped_lock guard(lock);
                 end_run(false);
               }});
  require(taken == k_parcels, "every parcel is in the message, once");
}

} // namespace

std::vector<scenario> parcel_scenarios() {
  return {
      {"parcel_sleeps", [] { sleeps(1); }}, {"parcel_sleeps_twice", [] { sleeps(2); }}, {"parcel_full", full},
      {"parcel_two_look", two_look},        {"parcel_run", run_is_taken_back},
  };
}

} // namespace treadle::check
