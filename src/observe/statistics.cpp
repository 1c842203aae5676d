#include "base/clock.hpp"
#include "observe/counter_state.hpp"
#include "observe/periodic.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <deque>
#include <mutex>
#include <numeric>
#include <stdexcept>

namespace treadle::detail {
namespace {

constexpr double k_nothing = std::numeric_limits<double>::quiet_NaN();

/// Values of a counter at regular times since the reader started, of which the last ones are kept.
class sample_series {
 public:
  explicit sample_series(std::size_t window) : m_window(window) {}

  void add(std::int64_t time_ns, double value) {
    if (std::isnan(value)) return;
    m_recent.push_back({time_ns, value});
    if (m_recent.size() > m_window) m_recent.pop_front();
    ++m_count;
    const double difference = value - m_mean; // Welford, Technometrics 4 (1962)
    m_mean += difference / static_cast<double>(m_count);
    m_squares += difference * (value - m_mean);
    m_min = std::min(m_min, value);
    m_max = std::max(m_max, value);
  }

  bool empty() const { return m_count == 0; }
  double average() const { return m_mean; }
  double stddev() const { return m_count < 2 ? 0 : std::sqrt(m_squares / static_cast<double>(m_count - 1)); }
  double min() const { return m_min; }
  double max() const { return m_max; }

  double median() const {
    std::vector<double> values;
    for (const point& p : m_recent) values.push_back(p.value);
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    if (values.size() % 2 != 0) return *middle;
    return (*middle + *std::max_element(values.begin(), middle)) / 2;
  }
  /// Change per second.
  double rate() const {
    const point &first = m_recent.front(), &last = m_recent.back();
    return last.time_ns == first.time_ns
               ? k_nothing
               : (last.value - first.value) * 1e9 / static_cast<double>(last.time_ns - first.time_ns);
  }
  /// The same of the last ones only.
  sample_series recent() const {
    sample_series some(m_window);
    for (const point& p : m_recent) some.add(p.time_ns, p.value);
    return some;
  }

 private:
  struct point {
    std::int64_t time_ns;
    double value;
  };

  std::size_t m_window;
  std::deque<point> m_recent;
  std::uint64_t m_count = 0;
  double m_mean = 0, m_squares = 0;
  double m_min = HUGE_VAL, m_max = -HUGE_VAL;
};

struct statistic {
  const char* name;
  double (*of)(const sample_series& samples);
};
constexpr statistic k_statistics[] = {
    {"average", [](const sample_series& s) { return s.average(); }},
    {"stddev", [](const sample_series& s) { return s.stddev(); }},
    {"median", [](const sample_series& s) { return s.median(); }},
    {"min", [](const sample_series& s) { return s.min(); }},
    {"max", [](const sample_series& s) { return s.max(); }},
    {"rate", [](const sample_series& s) { return s.rate(); }},
    {"rolling_average", [](const sample_series& s) { return s.recent().average(); }},
    {"rolling_stddev", [](const sample_series& s) { return s.recent().stddev(); }},
    {"rolling_min", [](const sample_series& s) { return s.recent().min(); }},
    {"rolling_max", [](const sample_series& s) { return s.recent().max(); }},
};

struct sampling {
  std::int64_t period_ns = 1'000'000'000;
  std::size_t window = 10;
};

/// "period in ms, window in samples", both optional.
sampling parse_sampling(const counter_name& name) {
  sampling wanted;
  const std::string& text = name.parameters;
  const auto number = [&](std::string_view part, const char* what, long max) {
    long value = 0;
    const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), value);
    if (error != std::errc{} || end != part.data() + part.size() || value < 1 || value > max)
      throw std::invalid_argument("counter '" + name.text() + "': expected " + what + " from 1 to " +
                                  std::to_string(max) + " behind '@', got '" + std::string(part) + "'");
    return value;
  };
  const std::size_t comma = text.find(',');
  if (!text.empty())
    wanted.period_ns = number(std::string_view(text).substr(0, comma), "a period in ms", 86'400'000) * 1'000'000;
  if (comma != text.npos)
    wanted.window =
        static_cast<std::size_t>(number(std::string_view(text).substr(comma + 1), "a number of samples", 1'000'000));
  return wanted;
}

counters::description about_statistic(const counter_name& name, const counters::description& base) {
  return {name.text(), counters::kind::gauge, name.counter == "rate" ? base.unit + "/s" : base.unit,
          "The " + name.counter + " of samples of " + base.name + '.'};
}

class statistic_counter final : public counter_state, periodic_action {
 public:
  statistic_counter(const counter_name& name, std::unique_ptr<counter_state> base, const statistic& what, sampling how)
      : counter_state(about_statistic(name, base->about())),
        m_base(std::move(base)),
        m_what(what),
        m_samples(how.window),
        m_window(how.window),
        m_periodic(*this, how.period_ns) {}

  void read_into(counters::reading& result) const override {
    std::lock_guard guard(m_mutex);
    result.value = m_samples.empty() ? k_nothing : m_what.of(m_samples);
  }
  void reset() override {
    std::lock_guard guard(m_mutex);
    m_base->reset();
    m_samples = sample_series(m_window);
  }

 private:
  void act() noexcept override {
    try {
      std::lock_guard guard(m_mutex);
      const counters::reading now = m_base->read();
      m_samples.add(now.time_ns, now.value);
    } catch (const std::exception&) { // cannot be read at the moment: no sample
    }
  }

  mutable std::mutex m_mutex;
  const std::unique_ptr<counter_state> m_base;
  const statistic& m_what;
  sample_series m_samples;
  const std::size_t m_window;
  const periodic m_periodic; // the last: it uses the rest
};

std::vector<counter_name> names_of(const counter_name& name_or_pattern) {
  if (!name_or_pattern.is_pattern()) {
    static_cast<void>(make_counter(name_or_pattern)); // throws where there is none
    return {name_or_pattern};
  }
  auto names = expand(name_or_pattern);
  if (names.empty()) throw std::invalid_argument("no counter matches '" + name_or_pattern.text() + "'");
  return names;
}

bool is_about_statistics(const counter_name& name) {
  if (name.object != "statistics") return false;
  if (name.base.empty())
    throw std::invalid_argument("counter '" + name.text() +
                                "': expected a counter in braces, as in /statistics{/threads/idle-rate}/max@100");
  return true;
}

} // namespace

std::unique_ptr<counter_state> make_statistic(const counter_name& name) {
  if (!is_about_statistics(name)) return nullptr;
  std::string known;
  for (const statistic& what : k_statistics) {
    if (name.counter == what.name)
      return std::make_unique<statistic_counter>(name, make_counter(name.base.front()), what, parse_sampling(name));
    known += (known.empty() ? "" : ", ") + std::string(what.name);
  }
  throw std::invalid_argument("no counter '" + name.text() + "'; statistics are " + known);
}

std::vector<counter_name> expand_statistics(const counter_name& pattern) {
  std::vector<counter_name> names;
  if (!is_about_statistics(pattern)) return names;
  for (const counter_name& base : names_of(pattern.base.front())) {
    for (const statistic& what : k_statistics) {
      if (!matches_pattern(pattern.counter, what.name)) continue;
      names.push_back(pattern);
      names.back().counter = what.name;
      names.back().base = {base};
    }
  }
  return names;
}

} // namespace treadle::detail
