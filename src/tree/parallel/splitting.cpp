#include "tree/parallel/splitting.hpp"

#include "base/clock.hpp"
#include "control/deciding_time.hpp"
#include "control/recall.hpp"

#include <cmath>
#include <limits>
#include <utility>

namespace treadle::tree {

namespace {

constexpr loop::arm k_thresholds = 4; // the last is never reached

double threshold_ns(loop::arm choice) noexcept {
  return choice + 1 == k_thresholds ? std::numeric_limits<double>::infinity()
                                    : splitting::k_part.fitting_ns() * std::exp2(3.0 * static_cast<double>(choice));
}

struct threshold_names final : loop::choice_names {
  std::string operator()(loop::arm at) const override {
    if (at + 1 == k_thresholds) return "no part is a task";
    return "parts from " + std::to_string(static_cast<std::uint64_t>(threshold_ns(at) / 1000)) + " us on are tasks";
  }
  std::string all() const override { return (*this)(0) + " .. " + (*this)(k_thresholds - 1); }
};

} // namespace

std::uint64_t splitting::to_ticks(double ns) noexcept {
  if (!(ns < 1e15)) return k_never;
  return static_cast<std::uint64_t>(detail::ns_to_ticks(static_cast<std::int64_t>(ns)));
}

bool splitting::claim(unsigned workers) noexcept {
  if (!m_claimed.take()) return false;
  const detail::scoped_lock guard(m_lock);
  if (use(workers)) return true;
  release();
  return false;
}

bool splitting::follow(unsigned workers) noexcept {
  const detail::scoped_lock guard(m_lock);
  if (workers == m_known->of.workers) return false;
  if (m_known->search) m_decision.interrupt(*m_known->search);
  return use(workers);
}

// With the lock. False when there is no memory.
bool splitting::use(unsigned workers) noexcept {
  try {
    m_known = &m_contexts.in(workers, {}, [=] { return std::make_unique<known>(workers); });
  } catch (...) {
    return false;
  }
  choose(workers < 2 ? k_thresholds - 1 : m_known->search ? m_known->search->best() : 0);
  return true;
}

void splitting::choose(loop::arm choice) noexcept {
  m_choice = choice;
  m_threshold.store(to_ticks(threshold_ns(choice)), detail::order::relaxed);
}

void splitting::decide(double turns, double ns, bool splits, std::int64_t now_ns) {
  auto& search = m_known->search;
  if (search) {
    m_decision.report(*search, m_choice, {ns / turns, turns, ns}, threshold_names());
  } else {
    if (!splits) return;
    search.emplace(tune::space({tune::dimension{k_thresholds}}), m_choice, search_options{.settling = 1});
    search->believe(detail::recall(*this, m_decision, m_known->of, threshold_names().all()));
  }
  choose(m_decision.next(*search, now_ns, threshold_names()));
}

// Turns of two loops cannot be compared: the one that takes most of the time counts.
bool splitting::measures(const node& loop, std::int64_t ticks) {
  if (m_loop != &loop) {
    m_in_others += ticks;
    if (m_in_others <= 2 * m_in_loop) return false;
    m_in_loop = std::exchange(m_in_others, 0) - ticks;
    m_loop = &loop;
    for (const auto& context : m_contexts) {
      if (!context->search) continue;
      m_decision.interrupt(*context->search);
      context->search->reopen();
    }
  }
  m_in_loop += ticks;
  return true;
}

void splitting::begin(std::int64_t now_ns) noexcept {
  const detail::scoped_lock guard(m_lock);
  const detail::deciding_time timed(m_decision);
  try {
    if (auto& search = m_known->search) choose(m_decision.next(*search, now_ns, threshold_names()));
  } catch (...) { // no memory: stays as it is
  }
}

void splitting::end() noexcept {
  const detail::scoped_lock guard(m_lock);
  if (auto& search = m_known->search) choose(search->best()); // what is tried goes on with the next loop
}

void splitting::forget() noexcept {
  if (!m_claimed.take()) return;
  const detail::scoped_lock guard(m_lock);
  if (m_known && m_known->search) m_decision.interrupt(*m_known->search);
  m_contexts = {};
  m_known = nullptr;
  m_loop = nullptr;
  m_in_loop = m_in_others = 0;
  m_threshold.store(0, detail::order::relaxed);
  release();
}

void splitting::explain(std::vector<decision_report>& to) {
  const detail::scoped_lock guard(m_lock);
  for (const auto& context : m_contexts) {
    if (!context->search) continue; // there was nothing to choose
    to.push_back(loop::report(m_decision, context->of, *context->search, threshold_names()));
    to.back().present = context.get() == m_known;
  }
}

void splitting::report(const node& loop, std::uint64_t turns, std::int64_t ticks, bool splits,
                       std::int64_t now_ns) noexcept {
  const detail::scoped_lock guard(m_lock);
  const detail::deciding_time timed(m_decision);
  try {
    if (measures(loop, ticks))
      decide(static_cast<double>(turns), static_cast<double>(detail::ticks_to_ns(ticks)), splits, now_ns);
  } catch (...) { // no memory: stays as it is
  }
}

} // namespace treadle::tree
