#pragma once

#include "compat/ocr/guid.hpp"

namespace treadle::ocr {

/// Counts an EDT with EDT_PROP_FINISH and all EDTs that come from it, until the last of them has ended or was
/// destroyed: then its output event is satisfied, and it leaves the scope that it is in itself.
struct finish_scope {
  detail::atomic<std::uint64_t> members{1};
  finish_scope* outer = nullptr;
  std::uint64_t output = 0; ///< the event; 0: there is none
  std::uint64_t result = 0; ///< what that is satisfied with; of the EDT, before it leaves
};

/// With the EDT itself as a member, in the scope `outer`, which may be null.
finish_scope* make_scope(finish_scope* outer, std::uint64_t output);
/// By a member, for another one; null: nothing.
inline void enter(finish_scope* scope) noexcept {
  // Relaxed: the member who calls leaves later, and that orders.
  if (scope) scope->members.fetch_add(1, detail::order::relaxed);
}
/// By a member that has ended; `tells`: events are satisfied. Null: nothing.
void leave(finish_scope* scope, bool tells);

} // namespace treadle::ocr
