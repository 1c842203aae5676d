#pragma once

#include "model/support.hpp"

#include <treadle/detail/continuation_list.hpp>
#include <treadle/detail/reference_count.hpp>

namespace treadle::check {

/// A future's state without its task.
struct small_state {
  void add_ref() noexcept { owners.add(); }
  void release() noexcept {
    if (owners.drop()) delete this;
  }
  bool is_ready() const noexcept { return waiting.is_ready(); }
  bool try_attach(detail::continuation& c) noexcept { return waiting.try_attach(c); }
  void attach(detail::continuation& c) noexcept {
    if (!try_attach(c)) c.fire();
  }
  bool withdraw(detail::continuation& c) noexcept { return waiting.withdraw(c); }
  void complete() noexcept { waiting.complete(); }

  detail::reference_count owners;
  detail::continuation_list waiting;
  plain<int> value = 0;
};

} // namespace treadle::check
