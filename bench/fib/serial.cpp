#include "fib/config.hpp"

namespace {
__attribute__((noinline)) long fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
} // namespace

int main(int argc, char** argv) {
  fib_bench::report("serial", bench::workers_from(argc, argv), fib_bench::k_large, fib);
}
