// Cases of localities_program: parcels that nobody has sent like that, and localities that stop.
#include "program.hpp"

#include <treadle/localities/collectives.hpp>
#include <treadle/observe/counters.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include <signal.h>
#include <unistd.h>

namespace treadle::testing {
namespace {

std::atomic<std::uint64_t> taken{0};

std::string repeat(const std::string& text, int times) {
  std::string all;
  for (int i = 0; i < times && i < 3; ++i) all += text;
  return all;
}
double sum(const std::vector<double>& values, const std::vector<std::string>& names) {
  double all = static_cast<double>(names.size());
  for (const double value : values) all += value;
  return all;
}
int own_process() { return getpid(); }
void take(const std::string& text) { taken.fetch_add(text.size(), std::memory_order_relaxed); }
std::uint64_t bytes_taken() { return taken.load(); }

/// What comes back for an action of this number with such arguments, of which no parcel was made by async().
template <class R>
future<R> send_raw(std::uint32_t action, std::span<const std::byte> arguments, locality to) {
  auto awaited = std::make_unique<detail::reply_of<R>>();
  future<R> result = awaited->result.get_future();
  detail::new_parcel parcel(action, detail::await_reply(std::move(awaited), to));
  parcel.bytes.insert(parcel.bytes.end(), arguments.begin(), arguments.end());
  detail::send_parcel(parcel, to);
  return result;
}
template <class R>
std::string error_of(future<R> result, locality from) {
  try {
    static_cast<void>(result.get());
  } catch (const remote_error& e) {
    REQUIRE(e.origin() == from);
    return e.what();
  }
  return "";
}

/// Arguments of F, changed at random: some of them are arguments, and the others an error for who has sent them.
template <auto F, class... Args>
void send_changed(locality to, unsigned seed, const Args&... args) {
  using action = typename detail::action_of<F>::type;
  std::vector<std::byte> right;
  (detail::write_value(right, args), ...);
  std::mt19937 random(seed);
  const auto below = [&](std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(random); };
  std::vector<future<typename action::result>> results;
  for (int i = 0; i < 500; ++i) {
    std::vector<std::byte> bytes = right;
    if (below(2) == 0) bytes.resize(below(2 * bytes.size()), std::byte{1});
    for (std::size_t changes = below(4); changes > 0 && !bytes.empty(); --changes)
      bytes[below(bytes.size())] = static_cast<std::byte>(below(256));
    results.push_back(send_raw<typename action::result>(action::entry.number, bytes, to));
  }
  int refused = 0;
  for (auto& result : results) refused += !error_of(std::move(result), to).empty();
  REQUIRE(refused > 0 && refused < 500);
  // And it goes on.
  REQUIRE(error_of(send_raw<typename action::result>(action::entry.number, right, to), to).empty());
}

} // namespace

void parcels_that_mean_nothing() {
  for (const locality to : find_remote_localities()) {
    for (const std::uint32_t number : {0U, 1000U})
      REQUIRE(std::strstr(error_of(send_raw<int>(number, {}, to), to).c_str(), "there is no action of this number"));
    using action = detail::action_of<repeat>::type;
    const std::vector<std::byte> nothing;
    REQUIRE(std::strstr(error_of(send_raw<std::string>(action::entry.number, nothing, to), to).c_str(), "archive"));
    std::vector<std::byte> longer;
    detail::write_value(longer, std::string("twice"));
    detail::write_value(longer, 2);
    REQUIRE(send_raw<std::string>(action::entry.number, longer, to).get() == "twicetwice");
    longer.push_back(std::byte{0});
    REQUIRE(std::strstr(error_of(send_raw<std::string>(action::entry.number, longer, to), to).c_str(),
                        "an archive goes on behind what it should hold"));
    for (unsigned seed = 1; seed <= 4; ++seed) {
      send_changed<repeat>(to, seed, std::string("again"), 2);
      send_changed<direct<sum>>(to, seed, std::vector<double>{1, 2, 3}, std::vector<std::string>{"four", "five"});
    }
  }
}

/// Locality 1 does nothing for a while: who sends to it waits, and does not keep what it cannot get rid of.
void stopped_receiver() {
  constexpr std::uint64_t k_parcels = 200'000, k_bytes = 1000, k_surely_begun = 1000; // 200 MB
  communicator all("stopped");
  barrier(all).get();
  if (find_here().number() != 0) return;
  const locality other(1);
  const pid_t process = async<own_process>(other).get();
  counters::counter resident("/runtime/memory/resident");
  const double before = resident.value();
  std::atomic<std::uint64_t> sent{0};
  kill(process, SIGSTOP);
  future<void> sending = async([&] {
    const std::string text(k_bytes, 'x');
    for (std::uint64_t i = 0; i < k_parcels; ++i, ++sent) post<direct<take>>(other, text);
  });
  std::uint64_t seen = 0;
  do {
    seen = sent;
    this_task::sleep_for_ns(500'000'000);
  } while (seen < k_surely_begun || seen != sent);
  const double more = resident.value() - before;
  kill(process, SIGCONT);
  sending.get();
  REQUIRE(seen < k_parcels);
  REQUIRE(detail::k_sanitized || more < 48e6);
  until([&] { return async<bytes_taken>(other).get() == k_parcels * k_bytes; });
}

/// Locality 1 dies. Over MPI that is the end of all: the others wait for it until then.
void dies() {
  communicator all("dies");
  barrier(all).get();
  if (find_here().number() == 1) kill(getpid(), SIGKILL);
  static_cast<void>(async<own_process>(locality(1)).get());
}

/// Locality 1 ends by an exception, while the others wait for it.
void throws() {
  communicator all("throws");
  barrier(all).get();
  if (find_here().number() == 1) throw std::runtime_error("enough");
  barrier(all).get();
}

} // namespace treadle::testing
