#include "replay/replay.hpp"

#include "loop/simulated.hpp"

#include <algorithm>

namespace treadle::replay {
namespace {

constexpr unsigned k_half_period = 250, k_block = 8;
constexpr double k_close = 1.05;

/// What all kinds of runs have in common: `next(window)` gives what is chosen and what is thought to be best.
template <class Next>
result run(const surface& on, Next next) {
  result r;
  std::vector<double> fixed(on.of().points());
  const auto changes = on.changes();
  for (unsigned window = 0; window < k_windows; ++window) {
    const auto now = on.at(window);
    const double best = on.mean(now, on.best(now));
    if (r.found_after.size() < changes.size() && changes[r.found_after.size()] == window)
      r.found_after.push_back(k_windows);
    const auto [chosen, thought] = next(window, now);
    r.spent += on.mean(now, chosen) / best;
    r.explored += std::max(0.0, on.mean(now, chosen) - on.mean(now, thought)) / best;
    for (arm a = 0; a < fixed.size(); ++a) fixed[a] += on.mean(now, a) / best;
    if (r.found_after.back() == k_windows && on.mean(now, thought) <= k_close * best)
      r.found_after.back() = window - changes[r.found_after.size() - 1];
  }
  r.best_fixed = *std::min_element(fixed.begin(), fixed.end());
  return r;
}

} // namespace

const char* to_string(character c) noexcept {
  constexpr const char* k_names[] = {"stationary", "abrupt", "slow", "periodic", "heavy tails"};
  return k_names[static_cast<int>(c)];
}

surface::moment surface::at(unsigned window) const noexcept {
  switch (m_how) {
  case character::stationary:
    return {0, 0, 0};
  case character::abrupt:
    return {std::size_t{window} * 3 / k_windows, 0, 0};
  case character::slow:
    return {0, 1, static_cast<double>(window) / k_windows};
  case character::periodic:
    return {window / k_half_period % 2, 0, 0};
  case character::heavy_tails:
    break;
  }
  return {m_of.disturbed(), 0, 0};
}

arm surface::best(const moment& now) const noexcept {
  arm best = 0;
  for (arm a = 1; a < m_of.points(); ++a)
    if (mean(now, a) < mean(now, best)) best = a;
  return best;
}

std::vector<unsigned> surface::changes() const {
  if (m_how == character::slow) return {0, k_windows / 2};
  std::vector<unsigned> result{0};
  for (unsigned window = 1; window < k_windows; ++window)
    if (at(window).first != at(window - 1).first) result.push_back(window);
  return result;
}

result replay(const surface& on, search_options how, double share, std::uint64_t seed) {
  how.window_ns = 0; // what was recorded is a window
  how.seed = seed;
  loop::state state(tune::space(on.of().dimensions), on.of().starts.front(), how);
  loop::simulated program(state, share, seed);
  detail::xorshift random(seed);
  const auto changes = on.changes();
  std::size_t round = 0, change = 0;
  unsigned epoch = 0;
  std::vector<unsigned> told;
  result r = run(on, [&](unsigned window, const surface::moment& now) {
    if (change < changes.size() && changes[change] == window) {
      if (change++ > 0) told.push_back(k_windows);
    }
    round = window % k_block == 0 ? random.below(static_cast<std::uint32_t>(on.of().rounds()))
                                  : (round + 1) % on.of().rounds();
    const arm thought = state.best(); // next() may be a try
    const arm chosen = program.run([&](arm a) { return on.cost(now, a, round); }, 1, 0);
    if (state.epoch() != epoch) {
      epoch = state.epoch();
      if (!told.empty() && told.back() == k_windows) told.back() = window - changes[change - 1];
    }
    return std::pair(chosen, thought);
  });
  r.epochs = epoch;
  r.told_after = std::move(told);
  return r;
}

result replay_model(const surface& on) {
  return run(on, [&](unsigned, const surface::moment& now) {
    const std::size_t situation = now.share >= 0.5 ? now.second : now.first;
    const arm start = on.of().starts[situation == on.of().disturbed() ? 0 : situation];
    return std::pair(start, start);
  });
}

} // namespace treadle::replay
