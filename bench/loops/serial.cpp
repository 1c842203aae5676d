#include "loops/config.hpp"

using namespace loops_bench;

namespace {

struct plain_loop {
  template <class Body>
  void operator()(long n, Body body) const {
    for (long i = 0; i < n; ++i) body(i);
  }
};

} // namespace

int main() { report(plain_loop()); }
