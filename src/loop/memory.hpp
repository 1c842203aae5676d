// What earlier runs of the program have found out, and what this one leaves to later ones.
#pragma once

#include <treadle/detail/atomic.hpp>
#include <treadle/tune/explain.hpp>
#include <treadle/tune/tuning_store.hpp>

#include <string>
#include <vector>

namespace treadle::loop {

/// What is left of one state: the first four say which it is.
struct record {
  std::string kind, instance, choices, context;
  std::vector<tuned_point> points = {};
  std::uint64_t windows = 0; ///< in all
  unsigned epoch = 0;        ///< how often the search began again
  bool converged = false;
};

class memory {
 public:
  /// What was measured in that context, with all that is known by now. Any thread, also with the lock of a decision;
  /// never waits for a file.
  virtual std::vector<tuned_point> recall(const record& of) const = 0;
  /// The last that this instance tells.
  virtual void keep(const decision_report& last) = 0;
  virtual std::string message() const = 0; ///< what went wrong; empty when nothing has

 protected:
  ~memory() = default;
};

/// Of all decisions that have none of their own; null: they begin anew in each run.
inline constinit detail::atomic<memory*> the_memory{nullptr};

} // namespace treadle::loop
