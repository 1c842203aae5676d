#pragma once

#include <span>
#include <vector>

namespace treadle::decide {

/// Hardware threads for programs that are kept to so many each: what each had it keeps as far as it may, and no two
/// have the same one as long as there are enough; otherwise those that fewest have are shared. Neighbours in `cpus` are
/// near each other. Pure.
std::vector<std::vector<unsigned>> cpu_sets(std::span<const unsigned> cpus, std::span<const unsigned> wanted,
                                            std::span<const std::vector<unsigned>> had);

} // namespace treadle::decide
