// What runs decide by: the record that is kept of it, for td.explain().
#pragma once

#include <treadle/arrays/physl.hpp>
#include <treadle/detail/spinlock.hpp>

#include <algorithm>
#include <cstdint>
#include <deque>

namespace treadle::tree {

struct run_terms {
  physl::policy policy = physl::policy::adaptive;
  std::uint64_t lower_ns = 0, upper_ns = 0; // paper_baseline
  bool alone = false;                       // adaptive: when it began there was nobody to split for

  friend bool operator==(const run_terms&, const run_terms&) = default;
};

// The terms of all runs of a program, each once, so that an instance need only refer to them.
class terms_of_runs {
 public:
  const run_terms* record(const run_terms& of) {
    const detail::scoped_lock guard(m_lock);
    const auto known = std::find(m_all.begin(), m_all.end(), of);
    return known != m_all.end() ? &*known : &m_all.emplace_back(of);
  }

 private:
  detail::spinlock m_lock;
  std::deque<run_terms> m_all; // they stay where they are
};

} // namespace treadle::tree
