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

/// Calls an action every `period_ns` for as long as this object lives, first one period after its construction, on a
/// thread that all share: an action is short, and one that takes longer than its period misses some calls. The
/// destructor waits for an action that is running, unless that is what calls it.
class periodic {
 public:
  /// Throws std::system_error when there is no thread to be had.
  periodic(periodic_action& action, std::int64_t period_ns);
  ~periodic();
  periodic(const periodic&) = delete;
  periodic& operator=(const periodic&) = delete;

  void hurry() noexcept;                 ///< the next call is due now
  std::uint64_t missed() const noexcept; ///< periods that passed without a call

 private:
  std::shared_ptr<periodic_entry> m_entry;
};

} // namespace treadle::detail
