#pragma once

#include "decide/grain.hpp"
#include "loop/reasons.hpp"

#include <treadle/detail/spinlock.hpp>

namespace treadle::detail {

/// The grain of one thing that is done again and again, by its speed: units of work per second. One thread at a time.
class tuned_grain final : loop::explained {
 public:
  struct options {
    std::string name = {};  ///< of the instance
    std::string label = {}; ///< of the contexts
    loop::decision_kind kind = loop::decision_kind::grain;
    double smallest = 1, largest = 1; ///< units of work per task
    double start = 0;                 ///< 0: in the middle, on a logarithmic scale
    double step = 0;                  ///< units of work between two waits for all tasks; 0: not known
    double overhead_ns = 500;         ///< of a task; matters where `step` is known
    double window_ns = loop::window::k_least_ns;
    double budget = -1; ///< as search_options has it
  };
  explicit tuned_grain(const options& wanted);

  /// For what is done next.
  double grain() const noexcept { return m_known->places.grain(m_at); }
  /// Says how many units of work were done with that grain, and how long they took. Another number of workers brings
  /// back what was found for that.
  void done(double units, double ns, std::int64_t now_ns);

  bool settled() const { return m_known->search.settled(); }
  std::uint64_t windows() const noexcept { return m_known->search.windows(); }
  bool is_trying() const noexcept { return m_known->search.is_trying(); }

 private:
  struct known {
    loop::context of;
    decide::grain_places places;
    loop::state search;
    unsigned models_left; // samples that show what a unit costs, and so where the model would begin
  };

  void explain(std::vector<decision_report>& to) override;
  bool try_lock() noexcept override { return m_lock.try_lock(); }
  void unlock() noexcept override { m_lock.unlock(); }
  known begin(unsigned workers, double start) const;
  double modelled_start(double ns_per_unit, unsigned workers) const noexcept;

  const options m_options;
  loop::decision m_decision;
  loop::by_context<known> m_contexts;
  known* m_known = nullptr;
  tune::arm m_at = 0;
  spinlock m_lock; // of what explain() reads; a sample that finds it locked is dropped

  loop::explanation m_asked{*this};
};

} // namespace treadle::detail
