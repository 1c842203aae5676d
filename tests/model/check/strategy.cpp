#include "model/check/strategy.hpp"

#include <algorithm>
#include <map>

namespace treadle::check {
namespace {

using detail::xorshift;

class depth_first_strategy final : public strategy {
 public:
  explicit depth_first_strategy(unsigned preemptions) : m_preemptions_max(preemptions) {}

  unsigned pick_thread(const std::vector<unsigned>& threads, bool stays) override {
    if (stays && m_preemptions == m_preemptions_max) return 0;
    const unsigned choice = pick(static_cast<unsigned>(threads.size()));
    if (stays && choice != 0) ++m_preemptions;
    return choice;
  }
  unsigned pick_store(unsigned stores) override { return pick(stores); }
  bool next() override {
    m_depth = 0;
    m_preemptions = 0;
    while (!m_path.empty() && m_path.back().choice + 1 == m_path.back().options) m_path.pop_back();
    if (m_path.empty()) return false;
    ++m_path.back().choice;
    return true;
  }

 private:
  struct decision {
    unsigned choice, options;
  };
  unsigned pick(unsigned options) {
    if (options == 1) return 0;
    if (m_depth == m_path.size()) m_path.push_back({0, options});
    return m_path[m_depth++].choice;
  }

  const unsigned m_preemptions_max;
  unsigned m_preemptions = 0;
  std::size_t m_depth = 0;
  std::vector<decision> m_path;
};

class random_strategy : public strategy {
 public:
  explicit random_strategy(std::uint64_t seed) : m_random(seed) {}

  unsigned pick_thread(const std::vector<unsigned>& threads, bool) override {
    return m_random.below(static_cast<unsigned>(threads.size()));
  }
  unsigned pick_store(unsigned stores) override { return m_random.below(2) ? 0 : m_random.below(stores); }
  bool next() override { return true; }

 protected:
  xorshift m_random;
};

class priority_strategy final : public random_strategy {
 public:
  priority_strategy(std::uint64_t seed, unsigned depth) : random_strategy(seed), m_changes(depth - 1) { next(); }

  unsigned pick_thread(const std::vector<unsigned>& threads, bool stays) override {
    ++m_step;
    if (stays && std::find(m_changes.begin(), m_changes.end(), m_step) != m_changes.end()) {
      m_priority[threads[0]] = --m_lowest;
    }
    const auto best = std::max_element(threads.begin(), threads.end(),
                                       [&](unsigned a, unsigned b) { return priority(a) < priority(b); });
    return static_cast<unsigned>(best - threads.begin());
  }
  bool next() override {
    m_steps_max = std::max(m_steps_max, m_step);
    m_step = 0;
    m_lowest = 0;
    m_priority.clear();
    for (unsigned& step : m_changes) step = 1 + m_random.below(m_steps_max);
    return true;
  }

 private:
  int priority(unsigned thread) {
    const auto [place, is_new] = m_priority.try_emplace(thread);
    if (is_new) place->second = 1 + static_cast<int>(m_random.below(1 << 20));
    return place->second;
  }

  std::map<unsigned, int> m_priority;
  std::vector<unsigned> m_changes; // the steps at which the running thread falls behind all others
  unsigned m_step = 0;
  unsigned m_steps_max = 16; // longest execution so far
  int m_lowest = 0;
};

constexpr std::string_view k_digits = "0123456789abcdefghijklmnopqrstuvwxyz";

class replay_strategy final : public strategy {
 public:
  explicit replay_strategy(std::string_view choices) : m_choices(choices) {}
  unsigned pick_thread(const std::vector<unsigned>& threads, bool) override {
    return pick(static_cast<unsigned>(threads.size()));
  }
  unsigned pick_store(unsigned stores) override { return pick(stores); }
  bool next() override { return false; }

 private:
  unsigned pick(unsigned options) {
    if (options == 1 || m_position == m_choices.size()) return 0;
    const std::size_t digit = k_digits.find(m_choices[m_position++]);
    return digit < options ? static_cast<unsigned>(digit) : 0;
  }

  std::string m_choices;
  std::size_t m_position = 0;
};

} // namespace

std::unique_ptr<strategy> depth_first(unsigned preemptions) {
  return std::make_unique<depth_first_strategy>(preemptions);
}
std::unique_ptr<strategy> random_walk(std::uint64_t seed) { return std::make_unique<random_strategy>(seed); }
std::unique_ptr<strategy> priorities(std::uint64_t seed, unsigned depth) {
  return std::make_unique<priority_strategy>(seed, depth);
}
std::unique_ptr<strategy> replay(std::string_view choices) { return std::make_unique<replay_strategy>(choices); }

char choice_digit(unsigned choice) { return k_digits[std::min<std::size_t>(choice, k_digits.size() - 1)]; }

} // namespace treadle::check
