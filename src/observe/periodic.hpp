#pragma once

#include <cstdint>
#include <memory>

namespace treadle::detail {

/// Something to do again and again.
class periodic_action {
 public:
  virtual void act() noexcept = 0;

 protected:
  ~periodic_action() = default;
};

struct periodic_entry;

/// One shared by all short actions, and one for those that wait for files.
enum class helper_thread : std::uint8_t { clock, writer };

/// Calls an action every `period_ns` for as long as this object lives, first one period after its construction, on a
/// thread that others share: one that takes longer than its period misses some calls. The destructor waits for an
/// action that is running, unless that is what calls it.
class periodic {
 public:
  /// Throws std::system_error when there is no thread to be had.
  periodic(periodic_action& action, std::int64_t period_ns, helper_thread on = helper_thread::clock);
  ~periodic();
  periodic(const periodic&) = delete;
  periodic& operator=(const periodic&) = delete;

  void hurry() noexcept;                 ///< the next call is due now
  std::uint64_t missed() const noexcept; ///< periods that passed without a call

 private:
  const helper_thread m_on;
  std::shared_ptr<periodic_entry> m_entry;
};

} // namespace treadle::detail
