#include "fib/config.hpp"

namespace {
__attribute__((noinline)) long fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
} // namespace

int main() { fib_bench::report(fib_bench::k_large, fib); }
