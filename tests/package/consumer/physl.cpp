#include <treadle/arrays/physl.hpp>
#include <treadle/runtime.hpp>

#include <cstdio>
#include <vector>

int main() {
  treadle::runtime runtime;
  const treadle::physl::program twice("define(f, x, x * 2) f", "twice");
  const std::vector<treadle::value> arguments{
      treadle::array::of<std::int64_t>({3}, std::vector<std::int64_t>{1, 2, 3})};
  std::puts(treadle::to_string(twice.run(arguments)).c_str());
}
