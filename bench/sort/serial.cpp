#include "sort/config.hpp"

using namespace sort_bench;

int main() {
  report([](auto first, auto last) { std::sort(first, last); });
}
