#include "control/tuned_grain.hpp"

#include "control/deciding_time.hpp"
#include "control/recall.hpp"
#include "task/engine/present_workers.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace treadle::detail {

namespace {

std::string integer(double x) { return std::to_string(static_cast<std::uint64_t>(x)); }

class place_names final : public loop::choice_names {
 public:
  place_names(const tuned_grain::options& wanted, const decide::grain_places& places)
      : m_wanted(wanted), m_places(places) {}
  std::string operator()(tune::arm at) const override { return integer(m_places.grain(at)); }
  std::string all() const override { return choices(m_wanted); }

  static std::string choices(const tuned_grain::options& wanted) {
    return integer(wanted.smallest) + " .. " + integer(wanted.largest);
  }

 private:
  const tuned_grain::options& m_wanted;
  const decide::grain_places& m_places;
};

} // namespace

tuned_grain::tuned_grain(const options& wanted)
    : m_options(wanted), m_decision(wanted.kind, wanted.name, wanted.budget) {
  const scoped_lock held(m_lock); // explain() may ask already
  const double start = wanted.start > 0 ? wanted.start : std::sqrt(wanted.smallest * wanted.largest);
  m_known = &m_contexts.add(std::make_unique<known>(begin(present_workers(), start)));
  m_at = m_known->search.next(loop::state::k_no_tries);
}

tuned_grain::known tuned_grain::begin(unsigned workers, double start) const {
  const loop::context of{workers, m_options.label};
  auto before = recall(*this, m_decision, of, place_names::choices(m_options));
  const auto grain_of = [](const tuned_point& p) { return std::max(std::strtod(p.values.c_str(), nullptr), 1.0); };
  const auto best = std::min_element(before.begin(), before.end(),
                                     [](const tuned_point& a, const tuned_point& b) { return a.mean < b.mean; });
  if (best != before.end()) start = grain_of(*best); // which is a place then
  const decide::grain_places places(m_options.smallest, m_options.largest, start);
  for (tuned_point& p : before) p.at = places.closest(grain_of(p));
  loop::state search(tune::space({tune::dimension{places.count()}}), places.start(),
                     {.window_ns = m_options.window_ns});
  search.believe(before);
  constexpr unsigned k_models = 4;
  return {of, places, std::move(search), m_options.step > 0 && before.empty() ? k_models : 0};
}

double tuned_grain::modelled_start(double ns_per_unit, unsigned workers) const noexcept {
  const double all_ns = ns_per_unit * workers;
  const double execution_ns = std::max(all_ns - m_options.overhead_ns / grain(), all_ns / 10);
  return decide::grain_model{m_options.step, execution_ns, m_options.overhead_ns, workers}.closest(grain());
}

void tuned_grain::done(double units, double ns, std::int64_t now_ns) {
  const scoped_try_lock held(m_lock);
  if (!held || !(units > 0) || !(ns > 0)) return;
  const deciding_time timed(m_decision);
  const unsigned workers = present_workers();
  if (workers != m_known->of.workers) { // in between: what was done tells nothing of either
    m_decision.interrupt(m_known->search);
    m_known =
        &m_contexts.in(workers, m_options.label, [&] { return std::make_unique<known>(begin(workers, grain())); });
  } else if (m_known->models_left > 0) {
    // Where tasks cost much, what a unit costs is hardly seen: the model goes on from where it leads.
    const unsigned left = m_known->models_left - 1;
    const double start = modelled_start(ns / units, std::max(workers, 1u));
    const bool stays = start == grain();
    *m_known = begin(workers, start);
    m_known->models_left = stays ? 0 : left;
  } else {
    m_decision.report(m_known->search, m_at, {ns / units, units, ns}, place_names(m_options, m_known->places));
  }
  m_at = m_decision.next(m_known->search, now_ns, place_names(m_options, m_known->places));
}

void tuned_grain::explain(std::vector<decision_report>& to) {
  scoped_lock held(m_lock);
  for (const auto& k : m_contexts) {
    to.push_back(loop::report(m_decision, k->of, k->search, place_names(m_options, k->places)));
    to.back().present = k.get() == m_known;
  }
}

} // namespace treadle::detail
