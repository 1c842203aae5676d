#pragma once

#include <treadle/detail/spinlock.hpp>

#include <sched.h>

namespace treadle::detail {

/// Between looks of a thread that looks for something again and again: some ten ns, and now and then the core goes to
/// another thread, because the one that is waited for may need this very core.
class patient_spin {
 public:
  void wait() noexcept {
    constexpr unsigned k_looks = 64; // some microseconds
    ++m_looks % k_looks == 0 ? static_cast<void>(sched_yield()) : cpu_relax();
  }

 private:
  unsigned m_looks = 0;
};

} // namespace treadle::detail
