#include "sort/config.hpp"

#include <hwy/contrib/sort/vqsort.h>

using namespace sort_bench;

/// Highway's vectorized quicksort (Blacher et al., "Vectorized and performance-portable Quicksort", 2022), in one
/// thread, with the widest vectors of the processor.
int main() {
  const hwy::Sorter sorter;
  report([&sorter](auto first, auto last) {
    sorter(&*first, static_cast<std::size_t>(last - first), hwy::SortAscending());
  });
}
