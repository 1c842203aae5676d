#include "tree/parallel/splitting.hpp"

#include "base/clock.hpp"
#include "control/deciding_time.hpp"

#include <utility>

namespace treadle::tree {

std::uint64_t splitting::to_ticks(double ns) noexcept {
  if (!(ns < 1e15)) return k_never;
  return static_cast<std::uint64_t>(detail::ns_to_ticks(static_cast<std::int64_t>(ns)));
}

bool splitting::claim(unsigned workers) noexcept {
  if (!m_claimed.take()) return false;
  try {
    const detail::scoped_lock guard(m_lock);
    m_known = m_contexts.find(workers, {});
    if (!m_known) m_known = &m_contexts.add(std::make_unique<known>(workers));
  } catch (...) { // no memory
    release();
    return false;
  }
  choose(m_known->search ? m_known->search->best() : m_known->thresholds.start());
  return true;
}

void splitting::choose(std::size_t choice) noexcept {
  m_choice = choice;
  m_threshold.store(to_ticks(m_known->thresholds.ns(choice)), detail::order::relaxed);
}

void splitting::decide(double turns, double ns, std::span<const local_statistics> nodes, std::int64_t now_ns) {
  constexpr std::int64_t k_look_share = 2000; // of the time, for looking at all nodes
  if (auto& search = m_known->search) {
    m_decision.report(*search, m_choice, {ns / turns, turns, ns});
    choose(m_decision.next(*search, now_ns));
  }
  if (nodes.empty()) return;
  ++m_window;
  const bool early = (m_window & (m_window - 1)) == 0; // the first windows tell little
  const auto start = detail::ticks_now();
  if (start < m_next_look && !early) return;
  look_at_parts(nodes);
  const auto now = detail::ticks_now();
  m_next_look = now + k_look_share * (now - start);
}

void splitting::look_at_parts(std::span<const local_statistics> nodes) {
  m_parts.clear();
  for (const auto& n : nodes)
    if (const auto asked = std::min(n.asked(), k_never); asked != 0)
      m_parts.push_back(static_cast<double>(detail::ticks_to_ns(static_cast<std::int64_t>(asked))));
  auto& [of, thresholds, search, found_ns] = *m_known;
  if (search && search->best() != thresholds.start()) found_ns = thresholds.ns(search->best());
  if (!thresholds.update(m_parts, found_ns)) return;
  if (search) m_decision.interrupt(*search);
  search.reset();
  if (thresholds.choices() > 1 && of.workers > 1) {
    const auto choices = static_cast<std::uint32_t>(thresholds.choices());
    search.emplace(tune::space({tune::dimension{choices}}), thresholds.start(),
                   search_options{.how = search_strategy::two_arm, .settling = 1});
    choose(m_decision.next(*search, 0, false));
  } else {
    choose(thresholds.start());
  }
}

// Turns of two loops cannot be compared: the one that takes most of the time counts.
bool splitting::measures(const node& loop, std::int64_t ticks) {
  if (m_loop != &loop) {
    m_in_others += ticks;
    if (m_in_others <= 2 * m_in_loop) return false;
    m_in_loop = std::exchange(m_in_others, 0) - ticks;
    m_loop = &loop;
    for (const auto& context : m_contexts)
      if (context->search) context->search->reopen();
  }
  m_in_loop += ticks;
  return true;
}

void splitting::begin(std::int64_t now_ns) noexcept {
  const detail::scoped_lock guard(m_lock);
  const detail::deciding_time timed(m_decision);
  try {
    if (auto& search = m_known->search) choose(m_decision.next(*search, now_ns));
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
  m_contexts = {};
  m_known = nullptr;
  m_loop = nullptr;
  m_in_loop = m_in_others = m_next_look = 0;
  m_window = 0;
  m_threshold.store(0, detail::order::relaxed);
  release();
}

namespace {

class threshold_names final : public loop::choice_names {
 public:
  explicit threshold_names(const decide::split_thresholds& of) noexcept : m_thresholds(of) {}
  std::string operator()(loop::arm at) const override {
    return "parts from " + std::to_string(static_cast<std::uint64_t>(m_thresholds.ns(at) / 1000)) + " us on are tasks";
  }

 private:
  const decide::split_thresholds& m_thresholds;
};

} // namespace

void splitting::explain(std::vector<decision_report>& to) {
  const detail::scoped_lock guard(m_lock);
  for (const auto& context : m_contexts) {
    if (!context->search) continue; // there was nothing to choose
    to.push_back(loop::report(m_decision, context->of, *context->search, threshold_names(context->thresholds)));
    to.back().present = context.get() == m_known;
  }
}

void splitting::report(const node& loop, std::uint64_t turns, std::int64_t ticks,
                       std::span<const local_statistics> nodes, std::int64_t now_ns) noexcept {
  const detail::scoped_lock guard(m_lock);
  const detail::deciding_time timed(m_decision);
  try {
    if (measures(loop, ticks))
      decide(static_cast<double>(turns), static_cast<double>(detail::ticks_to_ns(ticks)), nodes, now_ns);
  } catch (...) { // no memory: stays as it is
  }
}

} // namespace treadle::tree
