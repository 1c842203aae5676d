#pragma once

#include "compat/ocr/delivery.hpp"

#include <deque>
#include <vector>

namespace treadle::ocr {

/// What a collective event has. The k-th contributions of all contributors make the k-th generation; its result, a
/// block, goes to the k-th dependence of each contributor's output slot. With the lock of the event.
class collective {
 public:
  static bool is_possible(const ocrEventCollectiveParams_t& p) noexcept;
  explicit collective(const ocrEventCollectiveParams_t& p);

  std::uint8_t contribute(const void* data, std::uint32_t contributor, fired& next);
  std::uint8_t add(std::uint32_t contributor, const target& to, fired& now);

 private:
  struct contributor_state {
    std::uint64_t given = 0, taken = 0; // generations
    std::deque<target> dependences;
  };
  struct generation {
    std::vector<std::byte> data; // of all contributors, in their order: the result does not depend on who comes first
    std::uint32_t missing;
  };
  void complete(fired& next);
  void forget_taken() noexcept;

  const ocrEventCollectiveParams_t m_params;
  const std::size_t m_bytes; // of a contribution
  std::vector<contributor_state> m_contributors;
  std::deque<generation> m_open; // the first one is generation m_first_result + m_results.size()
  std::deque<std::uint64_t> m_results;
  std::uint64_t m_first_result = 0;
  std::uint64_t m_reused = 0; // the block of all generations
};

} // namespace treadle::ocr
