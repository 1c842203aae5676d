#include "control/allowed_points.hpp"

#include "search/outward.hpp"

#include <algorithm>
#include <numeric>
#include <optional>
#include <stdexcept>

namespace treadle::detail {
namespace {

constexpr unsigned k_most_refused = 1000; // in a row: a search does not keep the program from its work

/// The mutex is left while it lives.
class outside {
 public:
  explicit outside(allowed_points::lock& held) : m_held(held) { m_held.unlock(); }
  ~outside() { m_held.lock(); }
  outside(const outside&) = delete;
  outside& operator=(const outside&) = delete;

 private:
  allowed_points::lock& m_held;
};

} // namespace

allowed_points::positions allowed_points::positions_of(tune::arm at) const noexcept {
  positions result{};
  for (std::size_t i = 0; i < m_knobs.size(); ++i)
    result[i] = m_knobs[i]->is_given() ? m_knobs[i]->index() : m_space.index(at, i);
  return result;
}

bool allowed_points::ask(tune::arm at, lock& held) const {
  const outside program(held);
  return ask(at);
}

tune::arm allowed_points::nearest(tune::arm from, lock& held) const {
  const outside program(held);
  tune::outward around(m_space, from);
  while (const auto at = around.next())
    if (ask(*at)) return *at;
  refuse_all(from, around.gave_all());
}

void allowed_points::refuse_all(tune::arm from, bool asked_all) const {
  const positions at = positions_of(from);
  std::string knobs;
  for (std::size_t i = 0; i < m_knobs.size(); ++i) {
    const knob_base& k = *m_knobs[i];
    const bool has_one = k.is_given() || !asked_all;
    knobs += (i == 0 ? "'" : ", '") + k.name() + "'" +
             (has_one ? " = " + k.text(at[i]) : " (" + k.domain_text() + ")") +
             (k.is_given() ? " (given by the user)" : "");
  }
  throw std::invalid_argument(
      "session '" + m_session + "': " +
      (asked_all ? "no combination of the values of its knobs is allowed: " + knobs
                 : "of a million combinations around " + knobs + " none is allowed: set the knobs to one that is"));
}

std::vector<tuned_point> allowed_points::among(std::vector<tuned_point> points, lock& held) const {
  const outside program(held);
  std::erase_if(points, [&](const tuned_point& p) { return p.at >= m_space.size() || !ask(p.at); });
  return points;
}

tune::arm allowed_points::lead(loop::state& search, lock& held) const {
  for (;;) {
    const tune::arm best = search.best();
    if (ask(best, held)) {
      if (search.best() == best) return best;
      continue;
    }
    search.refuse(best);
    if (search.best() != best) continue;
    const auto known = search.records();
    const auto other = std::min_element(known.begin(), known.end(),
                                        [](const tuned_point& a, const tuned_point& b) { return a.mean < b.mean; });
    const tune::arm from = nearest(other == known.end() ? best : other->at, held);
    search.reopen(from);
    return from;
  }
}

bool allowed_points::clear(loop::state& search, lock& held) const {
  std::optional<tune::arm> leading, next; // that are allowed
  for (unsigned refused = 0;;) {
    if (search.best() != leading) {
      leading = lead(search, held);
      continue;
    }
    if (refused == k_most_refused) return false;
    const tune::arm at = search.wanted();
    if (at == leading || at == next) return true;
    if (ask(at, held)) {
      next = at;
      continue;
    }
    search.refuse(at);
    ++refused;
  }
}

std::array<std::size_t, tune::space::k_max_dimensions> allowed_points::order(tune::arm to) const noexcept {
  std::array<std::size_t, tune::space::k_max_dimensions> result{};
  const auto end = result.begin() + static_cast<std::ptrdiff_t>(m_knobs.size());
  std::iota(result.begin(), end, std::size_t{0});
  if (!m_constraint) return result;
  const positions wanted = positions_of(to);
  positions now{};
  for (std::size_t i = 0; i < m_knobs.size(); ++i) now[i] = m_knobs[i]->index();
  for (auto rest = result.begin(); rest != end; ++rest) {
    const auto may_be_set = [&](std::size_t i) {
      positions then = now;
      then[i] = wanted[i];
      try {
        return then == now || m_constraint->allows(then.data());
      } catch (...) { // who chose this point has been told, if it is about that
        return false;
      }
    };
    const auto found = std::find_if(rest, end, may_be_set);
    if (found != end) std::iter_swap(rest, found);
    now[*rest] = wanted[*rest];
  }
  return result;
}

} // namespace treadle::detail
