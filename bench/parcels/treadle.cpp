#include "config.hpp"

#include <treadle/localities/action.hpp>
#include <treadle/runtime.hpp>

#include <cstdlib>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

namespace {

using namespace treadle;
using namespace parcels;

std::uint64_t received_all(std::uint64_t count) { return so_far.count == count ? so_far.sum : 0; }
void forget() { so_far = {}; }
std::uint64_t next(std::uint64_t number) { return number + 1; }
double last(const std::vector<double>& values) { return values.back(); }

void measure() {
  const locality there(1), here(0);
  for (const char* const name : {"one_way", "batched"}) {
    set_coalescing({.how = name == std::string("one_way") ? coalescing_kind::off : coalescing_kind::adaptive});
    bench::report(
        name, k_parcels, [&] { async<direct<forget>>(there).get(); },
        [&] {
          for (std::uint64_t i = 0; i < static_cast<std::uint64_t>(k_parcels); ++i)
            i % 2 == 0 ? post<direct<take_first>>(there, i, 2 * i) : post<direct<take_second>>(there, i, 2 * i);
          static_cast<void>(async<direct<received_all>>(there, std::uint64_t{k_parcels}).get()); // comes behind them
        },
        [&] { return async<direct<received_all>>(there, std::uint64_t{k_parcels}).get() == expected_sum(); });
  }
  bench::report("ping_pong", k_pings, [&] {
    std::uint64_t number = 0;
    for (long i = 0; i < k_pings; ++i) number = async<direct<next>>(there, number).get();
    return number == static_cast<std::uint64_t>(k_pings);
  });
  bench::report("in_flight", k_futures, [&] {
    std::vector<future<std::uint64_t>> results(static_cast<std::size_t>(k_window));
    bool is_right = true;
    for (long i = 0; i < k_futures; ++i) {
      auto& slot = results[static_cast<std::size_t>(i % k_window)];
      if (slot.valid()) is_right &= slot.get() == static_cast<std::uint64_t>(i - k_window + 1);
      slot = async<direct<next>>(there, static_cast<std::uint64_t>(i));
    }
    for (auto& slot : results) static_cast<void>(slot.get());
    return is_right;
  });
  const std::vector<double> array(k_array, 1.5);
  bench::report("large", k_arrays, [&] {
    future<double> result;
    for (long i = 0; i < k_arrays; ++i) result = async<direct<last>>(there, array);
    return result.get() == 1.5;
  });
  bench::report("here", k_calls, [&] {
    std::uint64_t number = 0;
    for (long i = 0; i < k_calls; ++i) number = async<direct<next>>(here, number).get();
    return number == static_cast<std::uint64_t>(k_calls);
  });
}

} // namespace

int main(int argc, char** argv) {
  if (!std::getenv("TREADLE_LOCALITIES")) { // starts itself twice, as treadle run -n does
    std::string file = "/dev/shm/treadle-bench-XXXXXX";
    close(mkstemp(file.data()));
    int code = 0;
    for (int rank = 0; rank < 2; ++rank) {
      if (fork() != 0) continue;
      setenv("TREADLE_LOCALITIES", (file + ":" + std::to_string(rank) + ":2").c_str(), 1);
      setenv("TREADLE_WORKERS", std::to_string(bench::workers_from(argc, argv)).c_str(), 1);
      execv(argv[0], argv);
      _exit(127);
    }
    for (int rank = 0; rank < 2; ++rank) {
      int status = 0;
      wait(&status);
      if (status != 0) code = 1;
    }
    unlink(file.c_str());
    return code;
  }
  const localities all;
  if (find_here().number() == 0) measure();
}
