// What `treadle run` tells the programs under it that follow grants themselves (src/agent/shim): a file of one word.
#pragma once

#include <atomic>
#include <cstdint>

namespace treadle::agent {

/// In the environment: the file.
inline constexpr const char* k_grant_page_variable = "TREADLE_GRANT_PAGE";

struct grant_page {
  std::atomic<std::uint32_t> threads; ///< that may run; 0: no limit
};
static_assert(std::atomic<std::uint32_t>::is_always_lock_free && sizeof(grant_page) == 4);

} // namespace treadle::agent
