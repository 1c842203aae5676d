#include "observe/counter_state.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <numeric>
#include <stdexcept>

namespace treadle::detail {
namespace {

using values = std::vector<double>; // at least one

double sum(const values& v) { return std::accumulate(v.begin(), v.end(), 0.0); }
double mean(const values& v) { return sum(v) / static_cast<double>(v.size()); }
double variance(const values& v) {
  const double m = mean(v);
  double squares = 0;
  for (const double x : v) squares += (x - m) * (x - m);
  return v.size() < 2 ? 0 : squares / static_cast<double>(v.size() - 1);
}
double median(values v) {
  std::sort(v.begin(), v.end());
  return (v[(v.size() - 1) / 2] + v[v.size() / 2]) / 2;
}

struct operation {
  const char* name;
  double (*of)(const values& v);
};
constexpr operation k_operations[] = {
    {"add", sum},
    {"subtract", [](const values& v) { return 2 * v.front() - sum(v); }},
    {"multiply", [](const values& v) { return std::accumulate(v.begin(), v.end(), 1.0, std::multiplies<>()); }},
    {"divide", [](const values& v) { return std::accumulate(v.begin() + 1, v.end(), v.front(), std::divides<>()); }},
    {"mean", mean},
    {"variance", variance},
    {"median", [](const values& v) { return median(v); }},
    {"min", [](const values& v) { return *std::min_element(v.begin(), v.end()); }},
    {"max", [](const values& v) { return *std::max_element(v.begin(), v.end()); }},
    {"count", [](const values& v) { return static_cast<double>(v.size()); }},
};

class arithmetic_counter final : public counter_state {
 public:
  arithmetic_counter(const counter_name& name, std::vector<std::unique_ptr<counter_state>> operands,
                     const operation& what)
      : counter_state({name.text(), counters::kind::gauge, unit_of(operands, what),
                       "The " + name.counter + " of " + name.parameters + '.'}),
        m_operands(std::move(operands)),
        m_what(what) {}

  void read_into(counters::reading& result) const override {
    values v;
    bool known = true;
    for (const auto& one : m_operands) known &= !std::isnan(v.emplace_back(one->read().value));
    result.value = known ? m_what.of(v) : std::numeric_limits<double>::quiet_NaN();
  }
  void reset() override {
    for (const auto& one : m_operands) one->reset();
  }

 private:
  /// What all have in common, where the operation keeps it.
  static std::string unit_of(const std::vector<std::unique_ptr<counter_state>>& operands, const operation& what) {
    const std::string_view changing[] = {"multiply", "divide", "variance", "count"};
    const std::string& unit = operands.front()->about().unit;
    const bool keeps = std::find(std::begin(changing), std::end(changing), what.name) == std::end(changing);
    const bool same =
        std::all_of(operands.begin(), operands.end(), [&](const auto& one) { return one->about().unit == unit; });
    return keeps && same ? unit : "";
  }

  const std::vector<std::unique_ptr<counter_state>> m_operands;
  const operation& m_what;
};

/// Split at the commas outside of braces.
std::vector<std::string> split_names(const std::string& text) {
  std::vector<std::string> names(1);
  int open = 0;
  for (const char c : text) {
    open += (c == '{') - (c == '}');
    if (c == ',' && open == 0)
      names.emplace_back();
    else
      names.back() += c;
  }
  return names;
}

} // namespace

std::unique_ptr<counter_state> make_arithmetic(const counter_name& name) {
  if (name.object != "arithmetics") return nullptr;
  std::vector<std::unique_ptr<counter_state>> operands;
  if (!name.parameters.empty()) {
    for (const std::string& text : split_names(name.parameters)) {
      try {
        auto found = wanted_counters(counter_name::parse(text));
        std::move(found.begin(), found.end(), std::back_inserter(operands));
      } catch (const no_such_counter& e) { // it is this one that was asked for, and cannot be
        throw std::invalid_argument(e.what());
      }
    }
  }
  if (operands.empty())
    throw std::invalid_argument("counter '" + name.text() +
                                "': expected counters behind '@', as in /arithmetics/add@/threads/time/*");
  std::string known;
  for (const operation& what : k_operations) {
    if (name.counter == what.name) return std::make_unique<arithmetic_counter>(name, std::move(operands), what);
    known += (known.empty() ? "" : ", ") + std::string(what.name);
  }
  throw std::invalid_argument("no counter '" + name.text() + "'; arithmetics are " + known);
}

std::vector<counter_name> expand_arithmetics(const counter_name& pattern) {
  std::vector<counter_name> names;
  if (pattern.object != "arithmetics") return names;
  for (const operation& what : k_operations) {
    if (!matches_pattern(pattern.counter, what.name)) continue;
    names.push_back(pattern);
    names.back().counter = what.name;
  }
  return names;
}

} // namespace treadle::detail
