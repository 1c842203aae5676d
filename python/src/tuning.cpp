// Knobs, sessions and trials for treadle.tuning. A knob of Python is the position of its value.
#include "tuning.hpp"

#include <treadle/observe/programs.hpp>
#include <treadle/tune/explain.hpp>
#include <treadle/tune/session.hpp>

#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <cmath>

namespace treadle::python {
namespace {

namespace nb = nanobind;
using namespace nb::literals;

class position_knob final : public detail::knob_base {
 public:
  position_knob(std::string_view name, std::vector<std::string> texts, std::uint32_t initial, bool ordered)
      : knob_base(name), m_texts(std::move(texts)), m_ordered(ordered), m_index(initial) {
    list();
  }
  ~position_knob() override { unlist(); }

  std::uint32_t choices() const noexcept override { return static_cast<std::uint32_t>(m_texts.size()); }
  bool ordered() const noexcept override { return m_ordered; }
  std::uint32_t index() const noexcept override { return m_index.load(detail::order::relaxed); }
  std::string text(std::uint32_t i) const override { return m_texts[i]; }

 private:
  void store(std::uint32_t i) noexcept override { m_index.store(i, detail::order::relaxed); }

  std::vector<std::string> m_texts;
  bool m_ordered;
  detail::atomic<std::uint32_t> m_index;
};

/// Asks a function of the positions of the values.
class position_constraint final : public detail::constraint {
 public:
  position_constraint(nb::object function, std::size_t knobs) : m_function(std::move(function)), m_knobs(knobs) {}
  ~position_constraint() override { // on whichever thread ends the last trial
    const nb::gil_scoped_acquire acquired;
    m_function.reset();
  }
  bool allows(const std::uint32_t* positions) override {
    const nb::gil_scoped_acquire acquired;
    return nb::cast<bool>(m_function(std::vector<std::uint32_t>(positions, positions + m_knobs)));
  }

 private:
  nb::object m_function;
  std::size_t m_knobs;
};

nb::dict to_dict(const session::status& s) {
  nb::dict result;
  result["best"] = s.best_choices;
  result["trying"] = s.trying;
  result["converged"] = s.converged;
  result["epoch"] = s.epoch;
  result["windows"] = s.windows;
  result["voids"] = s.voids;
  result["exploring_ns"] = s.exploring_ns;
  result["tuner_ns"] = s.tuner_ns;
  nb::list known;
  for (const tuned_point& p : s.known)
    known.append(nb::make_tuple(p.values, std::exp(p.mean), std::expm1(p.deviation), p.windows));
  result["known"] = known;
  return result;
}

nb::list decisions() {
  nb::list all;
  for (const decision_report& r : explain()) {
    nb::list measured;
    for (const auto& a : r.measured) measured.append(nb::make_tuple(a.choice, a.cost, a.deviation, a.windows));
    all.append(nb::make_tuple(r.kind, r.instance, r.name, r.choices, r.context, r.chosen, r.best, r.why, r.present,
                              r.trying, r.converged, measured, r.windows, r.epoch, r.deciding_ns, r.exploring_ns));
  }
  return all;
}

} // namespace

void bind_tuning(nanobind::module_& m) {
  const nb::call_guard<nb::gil_scoped_release> released; // a store may be read
  m.def("decisions", &decisions);
  m.def("remember", &remember_decisions, "path"_a, released);
  m.def("name_program", &detail::name_program, "name"_a);
  m.def("knobs", [] {
    nb::list all;
    for (const knob_report& k : knobs()) all.append(nb::make_tuple(k.name, k.value, k.values, k.meaning));
    return all;
  });
  nb::class_<position_knob>(m, "Knob")
      .def(nb::init<std::string_view, std::vector<std::string>, std::uint32_t, bool>(), "name"_a, "texts"_a,
           "initial"_a, "ordered"_a)
      .def_prop_rw("index", &position_knob::index, &position_knob::set_index);
  nb::class_<trial>(m, "Trial")
      .def("report", &trial::report, "cost"_a)
      .def("report_time", &trial::report_time, "units"_a)
      .def("fail", &trial::fail);
  nb::class_<tuning_store>(m, "TuningStore")
      .def(nb::init<std::string>(), "path"_a)
      .def_prop_ro("message", &tuning_store::message)
      .def("save", &tuning_store::save, released);
  nb::class_<session>(m, "TuningSession")
      .def(
          "__init__",
          [](session* self, std::string name, const std::vector<position_knob*>& knobs, std::string_view strategy,
             double window_ns, unsigned repeats, unsigned settling, double budget, bool drift, std::uint64_t seed,
             nb::object allowed) {
            const search_options wanted{.how = search_strategy_from_name(strategy),
                                        .window_ns = window_ns,
                                        .repeats = repeats,
                                        .settling = settling,
                                        .budget = budget,
                                        .drift = drift,
                                        .seed = seed};
            std::unique_ptr<detail::constraint> constraint;
            if (!allowed.is_none())
              constraint = std::make_unique<position_constraint>(std::move(allowed), knobs.size());
            new (self) session(std::move(name), wanted, std::vector<detail::knob_base*>(knobs.begin(), knobs.end()),
                               std::move(constraint));
          },
          "name"_a, "knobs"_a, "strategy"_a, "window_ns"_a, "repeats"_a, "settling"_a, "budget"_a, "drift"_a, "seed"_a,
          "allowed"_a.none(), nb::keep_alive<1, 3>())
      .def("remember_in", &session::remember_in, "store"_a, nb::keep_alive<1, 2>(), released)
      .def("next", &session::next, "context"_a, released)
      .def("pause", &session::pause)
      .def("resume", &session::resume)
      .def("reopen", &session::reopen)
      .def("status", [](const session& s, std::string_view context) { return to_dict(s.look(context)); }, "context"_a);
}

} // namespace treadle::python
