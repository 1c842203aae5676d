#pragma once

#include "tune/search.hpp"

#include <string>

namespace treadle::policies {

/// What a task costs besides its work, and who could take it.
struct spawn_cost {
  double ns = 50; ///< made, and run by the one who waits for it
  unsigned workers = 1;

  double brief_ns() const noexcept { return 2 * ns; }    ///< less is not worth a task even for an idle worker
  double fitting_ns() const noexcept { return 19 * ns; } ///< of which making the task is 5 %
  friend bool operator==(const spawn_cost&, const spawn_cost&) = default;
};

/// How two ways are compared: in pairs, from a start that is about known, for 0.5 % of the time.
inline search_options pairwise() noexcept { return {.how = search_strategy::two_arm, .budget = 0.005, .credit = 1}; }

/// Decides for one place whether its tasks run inline. Pure: costs and times come in, the decision comes out.
///
/// Three cases need no trying. With one worker nobody could take a task. Below twice the cost of making it, it is not
/// worth it even for an idle worker; above some hundred times that cost hardly shows. In between both ways are tried in
/// turn (tune/two_arm.cpp), beginning with what the cost suggests: a task should take 19 times what it costs to make,
/// so that it costs 5 % (Grubel et al., CLUSTER 2015). What counts is the time from call to call, which includes all
/// that the program does in between, so what parallelism gains is seen; trying may cost 0.5 % of it.
class adaptive_inlining {
 public:
  explicit adaptive_inlining(spawn_cost cost) : m_cost(cost) {}

  /// One execution took so much processor time. `blocked`: it was suspended in between. Where that is usual its creator
  /// should go on meanwhile.
  void sample(double ns, bool blocked) noexcept;
  /// So many calls since the last report, in so much time.
  void period(double calls, double ns);
  /// The cost may change, as with a new runtime: what was tried is void.
  void use(spawn_cost cost);

  bool inlined() const noexcept { return m_inlined; }
  /// A period should be reported as soon as there is one.
  bool tries() const noexcept { return m_case == situation::uncertain; }

  double mean_ns() const noexcept { return m_mean_ns; }
  std::uint64_t windows() const noexcept { return m_search ? m_search->windows() : 0; }
  unsigned epoch() const noexcept { return m_search ? m_search->epoch() : 0; }
  std::string why() const;

 private:
  enum class situation : std::uint8_t { unknown, blocks, alone, brief, lengthy, uncertain };

  static constexpr unsigned k_samples = 5;
  static constexpr double k_lengthy = 400; // times the cost of a task
  static constexpr double k_blocking = 0.25;

  void decide();

  spawn_cost m_cost;
  situation m_case = situation::unknown;
  bool m_inlined = false;
  double m_blocked = 0; // share of the executions
  unsigned m_samples = 0;
  double m_mean_ns = 0;
  std::optional<tune::search> m_search;
};

} // namespace treadle::policies
