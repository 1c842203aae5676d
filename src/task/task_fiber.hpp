#pragma once

#include "fiber/fiber.hpp"

#include <treadle/detail/latent.hpp>

namespace treadle::detail {

/// A stack for tasks, with the latent work on it.
struct task_fiber final : fiber {
  using fiber::fiber;
  task_stack tasks;
};

} // namespace treadle::detail
