#include <treadle/async.hpp>
#include <treadle/runtime.hpp>

#include <cstdio>

int main() {
  treadle::runtime runtime;
  auto half = treadle::async([] { return 21; });
  std::printf("%d\n", 2 * half.get());
}
