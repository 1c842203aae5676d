#include <treadle/localities/locality.hpp>

#include "base/fork.hpp"
#include "base/process_in_program.hpp"
#include "base/variable.hpp"
#include "parcel/calls/actions.hpp"
#include "parcel/calls/deposits.hpp"
#include "parcel/calls/objects.hpp"
#include "parcel/calls/replies.hpp"
#include "parcel/coalescing/coalescing_text.hpp"
#include "parcel/departure.hpp"
#include "parcel/parcel_counters.hpp"
#include "parcel/port/port.hpp"
#include "parcel/transport/as_started.hpp"
#include "parcel/transport/delays.hpp"
#include "parcel/transport/refusals.hpp"
#include "task/engine/background.hpp"
#include "task/engine/exit_report.hpp"

#include <treadle/runtime.hpp>
#include <treadle/this_task.hpp>

#include <cxxabi.h>

#include <algorithm>
#include <condition_variable>
#include <cstring>
#include <exception>
#include <limits>
#include <mutex>
#include <stdexcept>
#include <string>
#include <utility>

namespace treadle {

namespace detail {
namespace {

// Parcels of the library itself, by numbers that no action has.
constexpr std::uint32_t k_value = k_value_parcel; ///< with the number of a reply
constexpr std::uint32_t k_error = 0x7fff'fffe;    ///< the same, the locality where it was thrown, and text
constexpr std::uint32_t k_ask = 0x7fff'fffd;      ///< departure: locality 0 asks
constexpr std::uint32_t k_answer = 0x7fff'fffc;
constexpr std::uint32_t k_leave = 0x7fff'fffb;
constexpr bool is_about_departure(std::uint32_t action) { return action >= k_leave && action <= k_ask; }

// Lanes of the port. That of an action is the next one after its number; no action has number 0.
constexpr std::uint32_t k_departure_lane = 0, k_reply_lane = 1;
constexpr std::uint32_t lane_of(std::uint32_t action) {
  return is_about_departure(action) ? k_departure_lane : action >= k_error ? k_reply_lane : action + 1;
}

struct counts {
  std::uint64_t sent, received;
};

// All localities begin theirs one after the other, so that parcels in traces have other numbers in each.
constexpr int k_parcels_of_world_bits = 36;
std::uint64_t worlds_begun = 0;

/// What it was thrown as, and what it says.
std::string text_of_current_exception() {
  const std::type_info* const type = abi::__cxa_current_exception_type();
  const std::string text = type ? readable(type->name()) : "an exception";
  try {
    throw;
  } catch (const std::exception& e) {
    return text + ": " + e.what();
  } catch (...) {
    return text;
  }
}

} // namespace

/// The localities of the program, as this one sees them.
class world final : public parcel_receiver, public background_work {
 public:
  explicit world(std::unique_ptr<transport> over) : world(std::move(over), worlds_begun++ << k_parcels_of_world_bits) {}

  world(std::unique_ptr<transport> over, std::uint64_t first_number)
      : m_departure(over->size()),
        m_parcels_from(over->size(), first_number),
        m_port(std::move(over), *this, first_number) {}

  void start() { m_port.start(); }
  unsigned rank() const noexcept { return m_port.rank(); }
  unsigned size() const noexcept { return m_port.size(); }
  /// In the child of a fork, where there are no localities.
  bool is_parents() const noexcept { return m_forks != fork_generation(); }
  reply_table replies;

  void send(std::span<const std::byte> parcel, unsigned to, std::vector<std::byte>* owner = nullptr) {
    parcel_header header;
    std::memcpy(&header, parcel.data(), sizeof header);
    m_port.send(to, parcel, lane_of(header.action), owner);
  }
  /// The same with a second part, which stays until it returns.
  void send(std::vector<std::byte>& parcel, std::span<const std::byte> rest, unsigned to) {
    parcel_header header;
    std::memcpy(&header, parcel.data(), sizeof header);
    m_port.send_large(to, parcel, rest, lane_of(header.action));
  }
  parcel_port& port() noexcept { return m_port; }

  // background_work
  void begin_polling(poller who) noexcept override { m_port.begin_polling(who); }
  bool poll(poller who) noexcept override { return m_port.poll(who); }
  void end_polling(poller who) noexcept override { m_port.end_polling(who); }
  void flush() noexcept override { m_port.flush(); }
  std::int64_t lookout_ns() const noexcept override { return m_port.lookout_ns(); }

  // parcel_receiver
  void arrived(unsigned from, std::span<const std::byte> message) override {
    const std::uint64_t received_before = m_received.load(order::relaxed);
    std::uint64_t handled = 0, received = received_before; // all of this message; those of the program, so far
    const std::byte* const end = message.data() + message.size();
    for (const std::byte* at = message.data(); at != end; ++handled) {
      const auto left = [&] { return static_cast<std::size_t>(end - at); };
      const auto take = [&](auto& value) {
        if (left() < sizeof value) throw_damaged(from, rank());
        std::memcpy(&value, at, sizeof value);
        at += sizeof value;
      };
      parcel_header header;
      std::uint64_t reply = 0;
      take(header);
      if (header.has_reply) take(reply);
      if (left() < header.bytes) throw_damaged(from, rank());
      const std::span arguments(at, header.bytes);
      at += header.bytes;
      if (!is_about_departure(header.action)) { // before it is handled: who sees what it causes finds it counted
        if (received++ == received_before) count_message(message.size());
        m_received.store(received, order::relaxed); // by who polls alone
      }
      if (TREADLE_UNLIKELY(is_wanted(event_kind::parcel_handled)))
        handle_and_tell(from, header, reply, arguments, m_parcels_from[from] + handled + 1);
      else
        handle(from, header.action, reply, arguments);
    }
    m_parcels_from[from] += handled;
    count_handled(received - received_before);
  }
  /// One large parcel, of an action, or for one that waits, that takes it as it comes.
  std::unique_ptr<message_in_pieces> begin_pieces(unsigned from, std::span<const std::byte> first,
                                                  std::size_t bytes) override {
    auto message = std::make_unique<large_message>();
    const auto take = [&](auto& value) {
      if (first.size() < sizeof value) return false;
      std::memcpy(&value, first.data(), sizeof value);
      first = first.subspan(sizeof value);
      bytes -= sizeof value;
      return true;
    };
    parcel_header& header = message->header;
    if (!take(header) || (header.has_reply && !take(message->reply)) || bytes != header.bytes) return nullptr;
    const arriving_beginner begin_parcel = header.action < k_leave    ? find_action(header.action).begin
                                           : header.action == k_value ? replies.beginner(message->reply, from)
                                                                      : nullptr;
    if (begin_parcel) message->parcel = begin_parcel(first, bytes);
    return message->parcel ? std::move(message) : nullptr;
  }
  void end_pieces(unsigned from, message_in_pieces& whole) override {
    auto& message = static_cast<large_message&>(whole);
    const parcel_header header = message.header;
    const std::uint64_t number = ++m_parcels_from[from];
    count_message(header.bytes + sizeof header + (header.has_reply ? sizeof message.reply : 0));
    m_received.store(m_received.load(order::relaxed) + 1, order::relaxed);
    const std::int64_t start = parcel_port::begin_telling(event_kind::parcel_handled);
    message.parcel->handle(from, message.reply);
    if (start != 0) m_port.tell(event_kind::parcel_handled, start, lane_of(header.action), from, number, header.bytes);
    count_handled(1);
  }
  void failed(std::exception_ptr why) noexcept override {
    replies.fail_all(why);
    fail_deposits(why);
    give_up_objects(why);
    const std::lock_guard guard(m_lock);
    m_failure = std::move(why);
    m_changed.notify_all();
  }

  coalescing how_to_coalesce(std::uint32_t lane) const override {
    return lane == k_departure_lane ? coalescing{.how = coalescing_kind::off} : coalescing_of(find_action(lane - 1));
  }
  std::string name_of_lane(std::uint32_t lane) const override {
    return lane == k_departure_lane ? "departure" : lane == k_reply_lane ? "results" : name_of(find_action(lane - 1));
  }

  parcel_traffic traffic() {
    parcel_traffic all;
    for (std::uint32_t lane = k_reply_lane; lane < m_port.lanes(); ++lane)
      if (const auto sent = m_port.sent(lane); sent.parcels > 0) all.actions.push_back({name_of_lane(lane), sent});
    all.parcels_received = m_received.load(order::relaxed);
    all.messages_received = m_messages_received.load(order::relaxed);
    all.bytes_received = m_bytes_received.load(order::relaxed);
    all.spent = m_port.spent();
    return all;
  }

  /// By one that an exception ends: it takes no more messages, and what waits here fails.
  void give_up() noexcept {
    try {
      throw std::runtime_error("localities: this locality is left by an exception");
    } catch (...) {
      m_port.fail();
    }
  }
  /// Returns when all localities are here, and nothing is left to do.
  void depart() { rank() == 0 ? lead() : follow(); }

 private:
  void handle(unsigned from, std::uint32_t action, std::uint64_t reply, std::span<const std::byte> arguments) {
    if (TREADLE_LIKELY(action < k_leave))
      find_action(action).handle(arguments, from, reply);
    else
      handle_own(from, action, reply, arguments);
  }
  TREADLE_NOINLINE void handle_and_tell(unsigned from, parcel_header header, std::uint64_t reply,
                                        std::span<const std::byte> arguments, std::uint64_t number) {
    const std::int64_t start = ticks_now();
    handle(from, header.action, reply, arguments);
    m_port.tell(event_kind::parcel_handled, start, lane_of(header.action), from, number, header.bytes);
  }
  struct large_message final : message_in_pieces {
    bool add(std::span<const std::byte> piece) override { return parcel->add(piece); }
    parcel_header header;
    std::uint64_t reply = 0;
    std::unique_ptr<arriving_parcel> parcel;
  };

  /// What they have caused is there.
  void count_handled(std::uint64_t parcels) noexcept {
    m_handled.store(m_handled.load(order::relaxed) + parcels, order::release);
  }
  void count_message(std::size_t bytes) noexcept {
    m_messages_received.fetch_add(1, order::relaxed);
    m_bytes_received.fetch_add(bytes, order::relaxed);
  }
  /// A parcel of the library.
  void handle_own(unsigned from, std::uint32_t action, std::uint64_t reply, std::span<const std::byte> bytes) {
    switch (action) {
    case k_value:
    case k_error:
      if (const std::unique_ptr<awaited_reply> who = replies.take(reply, from))
        action == k_value ? give(*who, bytes) : who->failed(std::make_exception_ptr(error_in(bytes, from)));
      break;
    case k_ask:
    case k_leave: {
      const std::lock_guard guard(m_lock);
      (action == k_ask ? m_asked : m_may_leave) = true;
      m_changed.notify_all();
      break;
    }
    case k_answer: {
      counts given;
      if (bytes.size() != sizeof given) throw_damaged(from, rank());
      std::memcpy(&given, bytes.data(), sizeof given);
      const std::lock_guard guard(m_lock);
      m_departure.answer(from, given.sent, given.received);
      m_changed.notify_all();
      break;
    }
    }
  }

  void give(awaited_reply& to, std::span<const std::byte> value) noexcept {
    try {
      to.arrived(value);
    } catch (...) {
      to.failed(std::current_exception());
    }
  }

  void tell(unsigned to, std::uint32_t what, const counts* given = nullptr) {
    given ? send(small_parcel<counts>(what, 0, *given).bytes(), to) : send(small_parcel<>(what).bytes(), to);
  }

  /// At a moment when no task runs here.
  counts counts_at_rest() {
    m_port.flush();
    if (runtime* const here = runtime::current_or_null()) here->wait_idle();
    // Received first: what comes after that and leads to something sent is missing in both, or seen as sent only.
    const std::uint64_t received = m_handled.load(order::acquire);
    return {m_port.parcels_sent(k_reply_lane), received};
  }

  template <class F>
  void wait_until(F is_so) {
    std::unique_lock guard(m_lock);
    m_changed.wait(guard, [&] { return is_so() || m_failure; });
    if (m_failure) std::rethrow_exception(m_failure);
  }

  void lead() {
    constexpr std::int64_t k_pause_ns_min = 20'000, k_pause_ns_max = 10'000'000;
    for (std::int64_t pause_ns = k_pause_ns_min;; pause_ns = std::min(2 * pause_ns, k_pause_ns_max)) {
      {
        const std::lock_guard guard(m_lock);
        m_departure.begin_wave();
      }
      for (unsigned other = 1; other < size(); ++other) tell(other, k_ask);
      const counts own = counts_at_rest();
      {
        const std::lock_guard guard(m_lock);
        m_departure.answer(0, own.sent, own.received);
      }
      bool may_leave = false;
      wait_until([&] {
        may_leave = m_departure.may_leave();
        return m_departure.is_wave_over();
      });
      if (may_leave) break;
      this_task::sleep_for_ns(pause_ns);
    }
    for (unsigned other = 1; other < size(); ++other) tell(other, k_leave);
  }
  void follow() {
    for (;;) {
      bool may_leave = false;
      wait_until([&] {
        may_leave = m_may_leave;
        return std::exchange(m_asked, false) || may_leave; // the next question comes after this answer
      });
      if (may_leave) return;
      const counts own = counts_at_rest();
      tell(0, k_answer, &own);
    }
  }

  static remote_error error_in(std::span<const std::byte> bytes, unsigned from) {
    std::uint32_t origin = 0;
    if (bytes.size() < sizeof origin) throw_damaged(from, find_here().number());
    std::memcpy(&origin, bytes.data(), sizeof origin);
    const auto text = bytes.subspan(sizeof origin);
    return {std::string(reinterpret_cast<const char*>(text.data()), text.size()), locality(origin)};
  }
  const std::uint32_t m_forks = fork_generation();
  std::mutex m_lock; // of threads, because handlers cannot suspend
  std::condition_variable m_changed;
  departure m_departure;
  bool m_asked = false, m_may_leave = false;
  std::exception_ptr m_failure;
  std::vector<std::uint64_t> m_parcels_from;         ///< by sender; of who polls
  atomic<std::uint64_t> m_received{0}, m_handled{0}; ///< parcels of the program
  atomic<std::uint64_t> m_messages_received{0}, m_bytes_received{0};
  parcel_port m_port; // last: its thread uses the rest
};

namespace {
atomic<world*> g_world{nullptr};
/// None in a program that has no localities, and after they have ended.
inline world* this_world() noexcept { return g_world.load(order::acquire); }
std::mutex g_read_lock; // while counters read it
parcel_traffic g_last_traffic;

[[noreturn, gnu::cold, gnu::noinline]] void throw_no_locality(unsigned number) {
  if (const world* const all = this_world(); all && all->is_parents())
    throw std::logic_error("localities: the child of a fork has none");
  const unsigned n = num_localities();
  throw std::out_of_range("localities: there is no locality " + std::to_string(number) + "; there " +
                          (n == 1 ? "is one" : "are " + std::to_string(n)));
}
/// Of the locality `to`, which is not this one.
inline world& world_with(unsigned to) {
  world* const found = this_world();
  if (TREADLE_UNLIKELY(!found || to >= num_localities() || found->is_parents())) throw_no_locality(to);
  return *found;
}
} // namespace

parcel_traffic traffic_so_far() {
  const std::lock_guard guard(g_read_lock);
  world* const all = this_world();
  return all ? all->traffic() : g_last_traffic;
}

namespace {
/// Those that are not used at the moment.
[[gnu::noinline]] std::vector<std::byte>& spare_bytes() noexcept {
  thread_local std::vector<std::byte> bytes;
  return bytes;
}
} // namespace

new_parcel::new_parcel(std::uint32_t action, std::uint64_t reply) : bytes(std::move(spare_bytes())) {
  const small_parcel<> begin(action, reply);
  bytes.assign(begin.bytes().begin(), begin.bytes().end());
}
new_parcel::~new_parcel() {
  constexpr std::size_t k_most_kept = 64U << 10U;
  if (bytes.capacity() <= k_most_kept) spare_bytes() = std::move(bytes);
}
void new_parcel::finish() {
  parcel_header header;
  std::memcpy(&header, bytes.data(), sizeof header);
  const std::size_t size = bytes.size() + rest.size() - sizeof header - (header.has_reply ? sizeof(std::uint64_t) : 0);
  if (size > std::numeric_limits<std::uint32_t>::max())
    throw std::length_error("localities: a parcel of " + std::to_string(size) + " bytes; 4 GiB is the most");
  header.bytes = static_cast<std::uint32_t>(size);
  std::memcpy(bytes.data(), &header, sizeof header);
}

void send_parcel(std::span<const std::byte> parcel, locality to) { world_with(to.number()).send(parcel, to.number()); }
parcel_place begin_parcel(std::uint32_t action, std::size_t bytes, locality to) {
  return world_with(to.number()).port().begin(to.number(), lane_of(action), bytes);
}
void end_parcel(const parcel_place& written, std::uint32_t action, std::size_t bytes) {
  g_world.load(order::relaxed)->port().end(written, action, bytes); // there was one when it began
}
void send_parcel(new_parcel& parcel, locality to) {
  parcel.finish();
  world& all = world_with(to.number());
  parcel.rest.empty() ? all.send(parcel.bytes, to.number(), &parcel.bytes)
                      : all.send(parcel.bytes, parcel.rest, to.number());
}

void set_coalescing(action_entry* of, const coalescing& how) {
  store_coalescing(of, how);
  if (world* const all = this_world(); all && !all->is_parents()) all->port().settings_changed();
}
void tell_coalescing_event(const action_entry& of) {
  if (world* const all = this_world(); all && !all->is_parents()) all->port().event(lane_of(of.number));
}

std::uint64_t await_reply(std::unique_ptr<awaited_reply> who, locality from) {
  return world_with(from.number()).replies.add(std::move(who), from.number());
}
std::unique_ptr<awaited_reply> take_reply(std::uint64_t number, unsigned from) noexcept {
  world* const all = this_world();
  return all ? all->replies.take(number, from) : nullptr;
}
void forget_reply(std::uint64_t number) noexcept {
  if (world* const all = this_world()) static_cast<void>(all->replies.take(number));
}

void send_exception(const action_entry& from, std::uint64_t reply, unsigned to) noexcept {
  try {
    std::uint32_t origin = find_here().number();
    std::string text;
    try {
      throw;
    } catch (const remote_error& e) { // it comes from elsewhere, and has been described there
      origin = e.origin().number();
      text = e.what();
    } catch (...) {
      text = text_of_current_exception() + ", thrown by the action " + name_of(from) + " in locality " +
             std::to_string(origin);
    }
    if (reply == 0) return report_at_exit(text);
    new_parcel error(k_error, reply);
    add_bytes(error.bytes, &origin, sizeof origin);
    add_bytes(error.bytes, text.data(), text.size());
    send_parcel(error, locality(to));
  } catch (...) { // the connection has failed, which the one that waits is told; or there is no memory
  }
}

} // namespace detail

struct localities::implementation {
  std::unique_ptr<detail::world> all;
  const int exceptions = std::uncaught_exceptions();
};

localities::localities() : m_is(new implementation) {
  using namespace detail;
  if (g_world.load(order::relaxed))
    throw std::logic_error("localities: there is an object of treadle::localities already");
  begin_objects();
  publish_parcel_counters();
  std::unique_ptr<transport> over = transport_as_started();
  if (!over) return;
  if (const std::string_view network = variable("TREADLE_NETWORK"); !network.empty())
    over = with_delays(std::move(over), parse_network_delays(std::string(network)));
  if (const std::string_view how = variable("TREADLE_COALESCING"); !how.empty()) set_coalescing(parse_coalescing(how));
  over->join(number_actions());
  m_is->all = std::make_unique<world>(std::move(over));
  own_number.store(m_is->all->rank(), order::relaxed);
  if (m_is->all->size() > 1) set_process_in_program(m_is->all->rank());
  number_of_localities.store(m_is->all->size(), order::relaxed);
  g_world.store(m_is->all.get(), order::release);
  m_is->all->start(); // handlers find all of that
  set_background_work(m_is->all.get());
}

localities::~localities() {
  if (!m_is->all) {
    detail::end_objects();
    return;
  }
  if (m_is->all->is_parents()) { // its thread does not exist here
    static_cast<void>(m_is->all.release());
    return;
  }
  if (const auto tell = detail::before_departure.load(detail::order::relaxed)) tell();
  bool has_failed = std::uncaught_exceptions() > m_is->exceptions;
  if (has_failed) m_is->all->give_up();
  try {
    if (!has_failed) m_is->all->depart();
  } catch (const std::exception& e) {
    has_failed = true;
    detail::report_at_exit(e.what());
  }
  detail::set_background_work(nullptr);
  {
    const std::lock_guard guard(detail::g_read_lock);
    detail::g_last_traffic = m_is->all->traffic();
    detail::g_world.store(nullptr, detail::order::release);
  }
  if (has_failed)
    static_cast<void>(m_is->all.release()); // tasks that are left may be inside, and nobody waits for them
  detail::own_number.store(0, detail::order::relaxed);
  detail::number_of_localities.store(1, detail::order::relaxed);
  detail::end_objects();
}

std::vector<locality> find_all_localities() {
  std::vector<locality> all;
  for (unsigned i = 0; i < num_localities(); ++i) all.emplace_back(i);
  return all;
}
std::vector<locality> find_remote_localities() {
  std::vector<locality> others = find_all_localities();
  std::erase(others, find_here());
  return others;
}

} // namespace treadle
