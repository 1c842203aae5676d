#include "matmul/config.hpp"

using namespace matmul_bench;

namespace {

void multiply(product p) {
  if (p.is_tile()) return p.multiply_tile();
  if (p.splits_inner()) {
    multiply(p.half(0));
    multiply(p.half(1));
  } else {
    multiply(p.half(0));
    multiply(p.half(1));
  }
}

} // namespace

int main() { report(multiply); }
