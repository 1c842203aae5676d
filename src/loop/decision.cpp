#include "loop/decision.hpp"

namespace treadle::loop {

std::string to_string(const context& c) {
  if (c.workers == 0) return c.label;
  const std::string workers = std::to_string(c.workers) + (c.workers == 1 ? " worker" : " workers");
  return c.label.empty() ? workers : c.label + ", " + workers;
}

} // namespace treadle::loop
