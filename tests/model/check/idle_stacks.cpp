// The explorer keeps its fibers; what the product does for its own is not explored.
#include "fiber/idle_stacks.hpp"

namespace treadle::detail {

stack take_idle_stack(std::size_t) noexcept { return {}; }
bool keep_idle_stack(stack) noexcept { return false; }
bool drop_idle_stacks() noexcept { return false; }

} // namespace treadle::detail
