#include "by_halves.hpp"
#include "uts/config.hpp"

#include <treadle/treadle.hpp>
#include <utility>

namespace {

long count(uts_tree tree, uts_node node) {
  const long children = uts_children(tree, &node);
  if (children == 0) return 1;
  constexpr auto fork = [](auto&& f, auto&& g) {
    treadle::parallel_invoke(std::forward<decltype(f)>(f), std::forward<decltype(g)>(g));
  };
  return 1 + bench::sum_by_halves(0, children, fork, [&](long i) { return count(tree, uts_child(&node, i)); });
}

} // namespace

int main(int argc, char** argv) {
  const unsigned workers = bench::workers_from(argc, argv);
  // A branch of T3 is 1572 nodes deep.
  treadle::runtime runtime({.workers = workers, .stack_bytes = std::size_t{8} << 20});
  treadle::async([&] { uts_bench::report(count); }).get();
}
