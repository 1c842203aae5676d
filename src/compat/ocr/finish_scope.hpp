#pragma once

#include <treadle/detail/atomic.hpp>

#include <cstdint>

namespace treadle::ocr {

/// Counts an EDT with EDT_PROP_FINISH and all EDTs that come from it, until the last of them has ended or was
/// destroyed: then its output event is satisfied, and it leaves the scope that it is in itself.
class finish_scope {
 public:
  /// With the EDT itself as a member of it, and it as a member of `around`, which may be null.
  finish_scope(finish_scope* around, std::uint64_t event) noexcept : outer(around), output(event) {
    if (around) around->add();
  }

  /// By a member, for another one. Relaxed: the member who calls leaves later, and that orders.
  void add() noexcept { m_members.fetch_add(1, detail::order::relaxed); }
  /// By a member that has ended. True for the last one, who then ends the scope. acq_rel: what all members did has
  /// happened when that one goes on.
  bool leave() noexcept { return m_members.fetch_sub(1, detail::order::acq_rel) == 1; }

  finish_scope* const outer;
  std::uint64_t output;     ///< the event; 0: there is none
  std::uint64_t result = 0; ///< what that is satisfied with; of the EDT, before it leaves

 private:
  detail::atomic<std::uint64_t> m_members{1};
};

/// By a member of `scope`, which may be null, that has ended: `end(scope)` for each scope that ends with it, from the
/// inside out. It may free the scope.
template <class F>
void leave_scopes(finish_scope* scope, F end) {
  while (scope && scope->leave()) {
    finish_scope& ended = *scope;
    scope = ended.outer;
    end(ended);
  }
}

/// `outer` as above. Throws std::bad_alloc.
finish_scope* make_scope(finish_scope* outer, std::uint64_t output);
/// By a member that has ended; `tells`: events are satisfied. Null: nothing.
void leave(finish_scope* scope, bool tells);

} // namespace treadle::ocr
