#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <sched.h>

namespace treadle::detail {

/// The hardware threads that the process was given: those of its main thread, at the moment. Another
/// thread, such as the first that creates tasks, may have been bound to one core.
class process_mask {
 public:
  process_mask() noexcept;
  /// What it was when this library was loaded, before the program could change it.
  static const process_mask& at_start() noexcept;
  ~process_mask();
  process_mask(const process_mask&) = delete;
  process_mask& operator=(const process_mask&) = delete;

  unsigned count() const noexcept;            ///< as many as the machine has where the mask cannot be read
  std::vector<unsigned> cpus() const;         ///< their numbers in the operating system, rising
  std::uint64_t fingerprint() const noexcept; ///< equal masks have the same

 private:
  cpu_set_t* m_set = nullptr;
  std::size_t m_bytes = 0;
};

} // namespace treadle::detail
