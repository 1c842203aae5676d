// Whether the tasks of one place run inline, by what they cost. Pure.
#pragma once

#include "decide/spawn_cost.hpp"

#include <cstdint>
#include <string>

namespace treadle::decide {

/// What was measured of the executions of one place.
class execution_cost {
 public:
  static constexpr unsigned k_least = 5; ///< executions without which nothing is known

  /// An execution took `ns` of processor time. `blocked`: it was suspended in between.
  void add(double ns, bool blocked, const spawn_cost& task) noexcept;

  double mean_ns() const noexcept { return m_mean_ns; }
  double blocked() const noexcept { return m_blocked; } ///< share of the executions
  bool is_known() const noexcept { return m_count >= k_least; }

 private:
  unsigned m_count = 0;
  double m_mean_ns = 0, m_blocked = 0;
};

/// What the calls of one place have made to be done and the time since then cannot have sufficed for.
class call_backlog {
 public:
  /// True: at least seven eighths of the time in which these calls were made went to something else, as when the
  /// program has waited for input, so that it says nothing about them. What they have spawned may be waited for in a
  /// later one.
  bool is_pause(double calls, double ns, const execution_cost& measured, const spawn_cost& task) noexcept;

 private:
  double m_ns = 0;
};

/// Three cases need no trying. With one worker nobody could take a task. Below twice the cost of making it, it is not
/// worth it even for an idle worker; above some hundred times that cost hardly shows. What waits should let its creator
/// go on meanwhile. In between both ways are to be tried (loop/decision.hpp), beginning with what the cost suggests: a
/// task should take 19 times what it costs to make, so that it costs 5 % (Grubel et al., CLUSTER 2015).
struct inlining_verdict {
  enum class reason : std::uint8_t { unknown, blocks, alone, brief, lengthy, uncertain };

  reason why = reason::unknown;
  bool inlined = false;
};
/// A verdict stays until what is measured has left its bounds clearly: what lies on one would change with every sample,
/// and nothing would be learned of either way. `before`: the reason of the verdict before.
inlining_verdict judge(const execution_cost& measured, const spawn_cost& task,
                       inlining_verdict::reason before = inlining_verdict::reason::unknown) noexcept;
/// "short: 80 ns, and a task costs 25 ns".
std::string explain(inlining_verdict::reason why, const execution_cost& measured, const spawn_cost& task);

} // namespace treadle::decide
