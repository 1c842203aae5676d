#include "channel/config.hpp"

#include <treadle/treadle.hpp>

using namespace channel_bench;

namespace {

long play(long round_trips) {
  treadle::channel<long> there, back;
  auto partner = treadle::async([&] {
    for (long i = 0; i < round_trips; ++i) back.set(there.get().get() + 1);
  });
  long number = 0;
  for (long i = 0; i < round_trips; ++i) {
    there.set(number + 1);
    number = back.get().get();
  }
  partner.get();
  return number;
}

} // namespace

int main(int argc, char** argv) {
  const unsigned workers = bench::workers_from(argc, argv);
  treadle::runtime runtime({.workers = workers});
  treadle::async([&] { report(play); }).get();
}
