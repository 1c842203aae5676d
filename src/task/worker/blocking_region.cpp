#include <treadle/blocking_region.hpp>

#include "task/worker/worker.hpp"

namespace treadle {

blocking_region::blocking_region() noexcept {
  detail::worker* const w = detail::this_worker();
  if (w && w->begin_blocking()) m_lender = w;
}

/// A task that was suspended meanwhile may be on another worker, and has nothing lent there.
blocking_region::~blocking_region() {
  if (m_lender && m_lender == detail::this_worker()) m_lender->end_blocking();
}

} // namespace treadle
