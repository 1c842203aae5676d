// Cases of localities_program: what events and traces contain about parcels.
#include "program.hpp"

#include <treadle/localities/collectives.hpp>
#include <treadle/observe/events.hpp>
#include <treadle/observe/trace.hpp>

#include <algorithm>
#include <atomic>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include <cereal/types/string.hpp>
#include <cereal/types/vector.hpp>

namespace treadle::testing {
namespace {

int shown(int x) { return x + 1; }
void shown_at_once(std::string) {}

/// The ends of arrows behind slices that begin so, in a trace as Chrome reads it.
std::vector<std::string> arrows_behind(const std::string& json, const std::string& slice) {
  std::vector<std::string> found;
  std::istringstream lines(json);
  for (std::string line; std::getline(lines, line);) {
    if (line.find("\"name\": \"" + slice) == line.npos || line.find("shown") == line.npos) continue;
    REQUIRE(line.find(R"("cat": "parcel")") != line.npos);
    std::getline(lines, line);
    const std::size_t id = line.find(R"("id": ")");
    REQUIRE(id != line.npos);
    found.push_back(line.substr(id + 7, line.find('"', id + 7) - id - 7));
  }
  return found;
}

} // namespace

/// Each parcel has an arrow, with an end in the trace of its sender and one in that of its receiver.
void traced_parcels() {
  constexpr int k_calls = 100;
  const locality here = find_here(), next((here.number() + 1) % num_localities());
  communicator all("traced parcels");
  std::atomic<int> sent{0}, handled{0}, bytes{0};
  std::string json;
  {
    const auto sends = events::on<events::parcel_sent>([&](const auto& e) {
      if (e.action.find("shown") == e.action.npos) return;
      ++sent;
      REQUIRE(e.to == static_cast<int>(next.number()));
    });
    const auto handles = events::on<events::parcel_handled>([&](const auto& e) {
      if (e.action.find("shown") == e.action.npos) return;
      bytes += static_cast<int>(e.bytes);
      ++handled; // last: who waits for it looks at the bytes
      REQUIRE(e.from == static_cast<int>((here.number() + num_localities() - 1) % num_localities()));
    });
    trace recorded;
    barrier(all).get();
    std::vector<future<int>> results;
    for (int i = 0; i < k_calls; ++i) {
      results.push_back(async<shown>(next, i));
      post<direct<shown_at_once>>(next, std::string(static_cast<std::size_t>(i) * 1000, 'x'));
    }
    for (int i = 0; i < k_calls; ++i) REQUIRE(results[static_cast<std::size_t>(i)].get() == i + 1);
    const int expected = num_localities() > 1 ? 2 * k_calls : 0; // a call of this one is no parcel
    until([&] { return handled == expected; });
    REQUIRE(sent == expected);
    REQUIRE(expected == 0 || bytes >= 1000 * k_calls * (k_calls - 1) / 2);
    barrier(all).get();
    recorded.stop();
    json = recorded.text("json");
  }
  const auto begun = gather(all, arrows_behind(json, "send ")).get();
  const auto ended = gather(all, arrows_behind(json, "handle ")).get();
  if (here.number() != 0) return;
  std::map<std::string, int> arrows;
  for (const auto& one : begun)
    for (const std::string& id : one) ++arrows[id];
  const std::size_t number = num_localities() > 1 ? std::size_t{2} * k_calls * num_localities() : 0;
  REQUIRE(arrows.size() == number); // each has a name of its own
  for (const auto& one : ended)
    for (const std::string& id : one) --arrows[id];
  REQUIRE(arrows.size() == number);
  REQUIRE(std::all_of(arrows.begin(), arrows.end(), [](const auto& one) { return one.second == 0; }));
}

} // namespace treadle::testing
