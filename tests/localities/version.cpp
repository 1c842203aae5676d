// A program whose two versions differ in what an action does, but not in its name.
#include <treadle/localities/action.hpp>

#include <cstdio>
#include <exception>

namespace {
int version() { return VERSION; }
} // namespace

int main() {
  try {
    const treadle::localities all;
    for (const treadle::locality one : treadle::find_all_localities())
      if (treadle::async<version>(one).get() != VERSION) return 2;
    return 0;
  } catch (const std::exception& e) {
    std::fprintf(stdout, "%s\n", e.what());
    return 1;
  }
}
