#pragma once

#include <treadle/detail/claim.hpp>
#include <treadle/detail/reference_count.hpp>

namespace treadle::detail {

/// The caller has taken the entry of a task from a queue, for a future of its own that nobody else uses meanwhile.
/// Where the two are the only owners of the task it is claimed and executed, and the entry's share dropped, without
/// read-modify-writes; else nothing is done: false. docs/design/task.md
template <class Execute>
[[gnu::always_inline]] inline bool run_entry_unshared(reference_count& owners, claim_word& claim, Execute execute) {
  if (!owners.is_two()) return false;
  claim.claim_unshared();
  execute();
  owners.drop_unshared();
  return true;
}

} // namespace treadle::detail
