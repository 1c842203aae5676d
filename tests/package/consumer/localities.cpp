#include <treadle/localities/collectives.hpp>
#include <treadle/runtime.hpp>

#include <cstdio>

int main() {
  treadle::runtime runtime;
  const treadle::localities here;
  treadle::communicator all("all");
  const unsigned sum = treadle::all_reduce(all, treadle::find_here().number() + 1).get();
  if (all.rank() == 0) std::printf("%u of %u with %u\n", sum, all.size(), runtime.workers());
}
