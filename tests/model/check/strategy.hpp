#pragma once

#include "base/rng.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace treadle::check {

/// Takes the decisions of an execution: who runs next, and which store a load reads.
class strategy {
 public:
  virtual ~strategy() = default;

  /// Index of the thread that goes on. `stays`: the first one is the thread that runs now, and it could go on.
  virtual unsigned pick_thread(const std::vector<unsigned>& threads, bool stays) = 0;
  /// Index of the store to read, 0 is the newest.
  virtual unsigned pick_store(unsigned stores) = 0;
  /// Prepares another execution; false when all have been seen.
  virtual bool next() = 0;
};

/// All executions with at most this many preemptions (switches away from a thread that could go on), in lexical order.
std::unique_ptr<strategy> depth_first(unsigned preemptions);
/// Uniformly random decisions.
std::unique_ptr<strategy> random_walk(std::uint64_t seed);
/// Random priorities, lowered at depth - 1 random steps: finds a bug of that depth with a probability that is known
/// (Burckhardt et al., "A Randomized Scheduler with Probabilistic Guarantees of Finding Bugs", ASPLOS 2010).
std::unique_ptr<strategy> priorities(std::uint64_t seed, unsigned depth);
/// The decisions that an execution reported, as printed with its failure.
std::unique_ptr<strategy> replay(std::string_view choices);

/// One character per decision, as replay() reads it.
char choice_digit(unsigned choice);

} // namespace treadle::check
