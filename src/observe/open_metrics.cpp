#include "base/json.hpp"
#include "base/metrics_socket.hpp"
#include "observe/counter_state.hpp"

#include <treadle/observe/counters.hpp>

#include <cctype>
#include <cmath>
#include <map>
#include <set>
#include <stdexcept>

// https://github.com/prometheus/OpenMetrics/blob/main/specification/OpenMetrics.md, version 1.0.0

namespace treadle::counters {
namespace {

using detail::counter_name;

/// OpenMetrics wants base units.
struct unit_in_metrics {
  std::string name;
  double factor;
};
unit_in_metrics in_base_units(const std::string& unit) {
  if (unit == "ns") return {"seconds", 1e-9};
  if (unit == "%") return {"ratio", 0.01};
  return {unit, 1};
}

/// As part of a metric's name.
std::string word(std::string_view text) {
  std::string result(text);
  for (char& c : result)
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  return result;
}

bool counts_up(kind k) { return k == kind::monotonic || k == kind::histogram; }

/// Where the counter is counted, and of what.
std::string labels_of(const counter_name& name) {
  std::map<std::string, std::string> labels;
  std::string unnamed;
  for (const counter_name::part& part : name.instance) {
    if (part.has_index)
      labels[std::isdigit(static_cast<unsigned char>(part.name[0])) ? '_' + word(part.name) : word(part.name)] =
          part.index;
    else if (part.name != "total")
      unnamed += (unnamed.empty() ? "" : "/") + part.name;
  }
  if (!unnamed.empty()) labels["instance"] = unnamed;
  if (!name.base.empty()) labels["of"] = name.base.front().text();
  if (!name.parameters.empty()) labels["parameters"] = name.parameters;
  std::string text;
  for (const auto& [label, value] : labels)
    text += (text.empty() ? "" : ",") + label + '=' + detail::metrics_label(value);
  return text;
}

/// One metric family: counters of one object and name, of any instances.
class family {
 public:
  family(const description& of, const counter_name& name, std::set<std::string>& taken)
      : m_unit(in_base_units(of.unit)), m_counts_up(counts_up(of.kind)), m_help(of.help) {
    m_name = "treadle_" + word(name.object) + '_' + word(name.counter);
    if (m_name.ends_with("_total")) m_name.resize(m_name.size() - 6); // of samples only
    const std::string unit = m_unit.name.empty() ? "" : '_' + word(m_unit.name);
    while (taken.count(m_name + unit) + taken.count(m_name + unit + "_total") != 0) m_name += '_';
    m_name += unit;
    taken.insert({m_name, m_name + "_total"});
  }
  void add(const counter_name& name, const reading& one) {
    const std::string labels = labels_of(name);
    if (one.ranges.empty()) return add(labels, one.value);
    for (std::size_t i = 0; i < one.ranges.size(); ++i)
      add(labels + (labels.empty() ? "" : ",") + "range=\"" + std::to_string(i) + '"', one.ranges[i]);
  }
  std::string text() const {
    std::string help = detail::metrics_label(m_help);
    return "# TYPE " + m_name + (m_counts_up ? " counter\n" : " gauge\n") +
           (m_unit.name.empty() ? "" : "# UNIT " + m_name + ' ' + word(m_unit.name) + '\n') + "# HELP " + m_name + ' ' +
           help.substr(1, help.size() - 2) + '\n' + m_samples;
  }

 private:
  void add(const std::string& labels, double value) {
    if (std::isnan(value)) return;
    m_samples += m_name + (m_counts_up ? "_total" : "") + (labels.empty() ? "" : '{' + labels + '}') + ' ' +
                 (std::isinf(value) ? value > 0 ? "+Inf" : "-Inf" : detail::json_number(value * m_unit.factor)) + '\n';
  }

  std::string m_name, m_samples;
  const unit_in_metrics m_unit;
  const bool m_counts_up;
  const std::string m_help;
};

} // namespace

std::string open_metrics(const std::vector<std::string>& patterns) {
  std::map<std::string, std::unique_ptr<detail::counter_state>> wanted; // by name: patterns may overlap
  for (const std::string& pattern : patterns) {
    for (auto& one : detail::matching_counters(counter_name::parse(pattern))) {
      const std::string name = one->about().name;
      wanted.emplace(name, std::move(one));
    }
  }
  std::map<std::string, family> families;
  std::set<std::string> taken;
  for (const auto& [text, counter] : wanted) {
    const description& about = counter->about();
    const counter_name name = counter_name::parse(text);
    const std::string key = name.object + '/' + name.counter + ' ' + about.unit + ' ' + to_string(about.kind);
    const auto of = families.try_emplace(key, about, name, taken).first;
    try {
      of->second.add(name, counter->read());
    } catch (const std::runtime_error&) { // it cannot be read at the moment
    }
  }
  std::string all;
  for (const auto& [key, one] : families) all += one.text();
  return all + "# EOF\n";
}

} // namespace treadle::counters
