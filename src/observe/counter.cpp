#include <treadle/observe/counters.hpp>

#include "base/clock.hpp"
#include "base/suggestion.hpp"
#include "observe/counter_state.hpp"
#include "observe/counter_type.hpp"
#include "observe/other_localities.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <set>
#include <stdexcept>

namespace treadle::detail {
namespace {

constexpr double k_nothing = std::numeric_limits<double>::quiet_NaN();

counters::description named(counters::description about, const counter_name& name) {
  about.name = name.text();
  return about;
}

/// Of which process an instance is.
struct locality_of_instance {
  const other_localities* others = nullptr; ///< null: this one
  unsigned number = 0;

  static locality_of_instance find(const counter_name& name) {
    const other_localities* const all = the_other_localities.load(order::acquire);
    if (!all || name.instance.empty() || name.instance.front().name != "locality") return {};
    const std::string& index = name.instance.front().index;
    unsigned number = 0;
    const auto [end, error] = std::from_chars(index.data(), index.data() + index.size(), number);
    const bool is_other = error == std::errc() && end == index.data() + index.size() &&
                          number != own_number.load(order::relaxed) &&
                          number < number_of_localities.load(order::relaxed);
    return is_other ? locality_of_instance{all, number} : locality_of_instance();
  }
};

/// One instance of a type, and the reader's memory of its last reset.
class plain_counter final : public counter_state {
 public:
  plain_counter(const counter_name& name, std::shared_ptr<const counter_type> type, locality_of_instance where = {})
      : counter_state(named(type->about(), name)),
        m_type(std::move(type)),
        m_instance(name.instance_text()),
        m_parameters(name.parameters),
        m_where(where) {
    if (!m_where.others) m_type->begin(m_instance, m_parameters);
  }

  void read_into(counters::reading& result) const override {
    counter_sample now = sample();
    const bool anew = now.epoch != m_start.epoch; // what was remembered is of another runtime
    // Not negative: sums of what several workers count are not of one moment.
    const double value = std::max(now.value - (anew ? 0 : m_start.value), 0.0);
    const double base = now.base - (anew ? 0 : m_start.base);
    switch (about().kind) {
    case counters::kind::gauge:
      result.value = now.value;
      return;
    case counters::kind::monotonic:
    case counters::kind::elapsed:
      result.value = value;
      return;
    case counters::kind::average:
      result.value = base > 0 ? value / base : k_nothing;
      return;
    case counters::kind::ratio:
      result.value = base > 0 ? std::min(100 * value / base, 100.0) : k_nothing;
      return;
    case counters::kind::histogram:
      for (std::size_t i = 0; !anew && i < std::min(now.ranges.size(), m_start.ranges.size()); ++i) {
        now.ranges[i] -= m_start.ranges[i];
      }
      result.value = 0;
      for (const double n : now.ranges) result.value += n;
      result.ranges = std::move(now.ranges);
    }
  }
  void reset() override {
    try {
      m_start = sample();
    } catch (const std::runtime_error&) { // not there at the moment: from zero
      m_start = {};
    }
  }

 private:
  counter_sample sample() const {
    return m_where.others ? m_where.others->read(m_where.number, *m_type, m_instance, m_parameters)
                          : m_type->read(m_instance, m_parameters);
  }

  const std::shared_ptr<const counter_type> m_type;
  const std::string m_instance, m_parameters;
  const locality_of_instance m_where;
  counter_sample m_start;
};

counter_name in_full(const counter_name& pattern, const counter_type& type, const std::string& instance) {
  counter_name name = instance.empty() ? counter_name{} : counter_name::parse("/x{" + instance + "}/x");
  name.object = type.object();
  name.counter = type.counter();
  name.parameters = pattern.parameters;
  return name;
}

/// One whose instances are not known at the moment is taken at its word.
std::unique_ptr<counter_state> make_plain(const counter_name& name) {
  std::string others;
  for (const auto& type : counter_types()) {
    if (type->object() != name.object || type->counter() != name.counter) continue;
    if (const auto where = locality_of_instance::find(name); where.others)
      return std::make_unique<plain_counter>(name, type, where);
    const auto instances = type->instances();
    if (instances.empty()) return std::make_unique<plain_counter>(name, type);
    if (name.instance.empty()) return std::make_unique<plain_counter>(in_full(name, *type, instances.front()), type);
    for (const std::string& instance : instances) {
      if (instance == name.instance_text()) return std::make_unique<plain_counter>(name, type);
      others += (others.empty() ? "" : ", ") + instance;
    }
  }
  if (!others.empty()) throw no_such_counter("no counter '" + name.text() + "'; its instances are " + others);
  const auto types = counter_types();
  std::set<std::string_view> known;
  for (const auto& type : types) known.insert(type->about().name);
  throw no_such_counter("no counter '" + name.text() + "'" + suggestion('/' + name.object + '/' + name.counter, known));
}

} // namespace

counters::reading counter_state::read() const {
  counters::reading result{.name = m_about.name, .unit = m_about.unit, .ranges = {}, .missing = {}};
  result.time_ns = steady_now_ns();
  read_into(result);
  return result;
}

/// Before there are localities, and after them, `locality#0` means this process, whatever its number in the program.
static counter_name of_this_process(counter_name name) {
  if (number_of_localities.load(order::relaxed) == 1 && !name.instance.empty() &&
      name.instance.front().name == "locality" && name.instance.front().index == "0")
    name.instance.front().index = std::to_string(number_in_program());
  return name;
}

std::unique_ptr<counter_state> make_counter(const counter_name& name) {
  constexpr int k_nesting_max = 16;
  thread_local int nesting = 0;
  struct nested {
    nested() noexcept { ++nesting; }
    ~nested() { --nesting; }
  } const here;
  if (nesting > k_nesting_max) throw std::invalid_argument("counters of counters are nested too deep");
  if (auto statistic = make_statistic(name)) return statistic;
  if (auto arithmetic = make_arithmetic(name)) return arithmetic;
  return make_plain(of_this_process(name));
}

/// Those of the other localities that an instance such as `locality#*/worker-thread#*` may mean.
static std::vector<std::string> instances_elsewhere(const counter_name& pattern, const counter_type& type,
                                                    const std::vector<std::string>& own) {
  std::vector<std::string> found;
  const other_localities* const all = the_other_localities.load(order::acquire);
  if (!all || pattern.instance.empty() || pattern.instance.front().name != "locality") return found;
  const std::string& wanted = pattern.instance.front().index;
  const unsigned here = own_number.load(order::relaxed);
  for (unsigned number = 0; number < number_of_localities.load(order::relaxed); ++number) {
    if (number == here || (wanted != "*" && wanted != std::to_string(number))) continue;
    if (own == std::vector{at_home("total")}) { // all have that
      found.push_back("locality#" + std::to_string(number) + "/total");
    } else {
      try {
        for (std::string& one : all->instances(number, type)) found.push_back(std::move(one));
      } catch (const std::runtime_error&) { // it cannot be asked any more
      }
    }
  }
  return found;
}

std::vector<counter_name> expand(const counter_name& as_given) {
  const counter_name pattern = of_this_process(as_given);
  std::vector<counter_name> names = expand_statistics(pattern);
  for (counter_name& name : expand_arithmetics(pattern)) names.push_back(std::move(name));
  for (const auto& type : counter_types()) {
    if (!pattern.base.empty() || !matches_pattern(pattern.object, type->object()) ||
        !matches_pattern(pattern.counter, type->counter()) ||
        (type->needs_naming() && pattern.object != type->object()))
      continue;
    std::vector<std::string> instances = type->instances();
    for (std::string& one : instances_elsewhere(pattern, *type, instances)) instances.push_back(std::move(one));
    for (const std::string& instance : instances) {
      counter_name name = in_full(pattern, *type, instance);
      if (!pattern.instance.empty() && !matches_instance(pattern.instance, name.instance)) continue;
      names.push_back(std::move(name));
      if (pattern.instance.empty()) break; // the first is the total
    }
  }
  std::sort(names.begin(), names.end(), [](const auto& a, const auto& b) { return a.text() < b.text(); });
  return names;
}

std::vector<std::unique_ptr<counter_state>> matching_counters(const counter_name& pattern) {
  std::vector<std::unique_ptr<counter_state>> found;
  for (const counter_name& name : expand(pattern)) {
    try {
      found.push_back(make_counter(name));
    } catch (const no_such_counter&) { // its worker has ended since, or who defined it
    }
  }
  return found;
}

std::vector<std::unique_ptr<counter_state>> wanted_counters(const counter_name& name_or_pattern) {
  std::vector<std::unique_ptr<counter_state>> found;
  if (name_or_pattern.is_pattern())
    found = matching_counters(name_or_pattern);
  else
    found.push_back(make_counter(name_or_pattern));
  if (found.empty()) throw std::invalid_argument("no counter matches '" + name_or_pattern.text() + "'");
  return found;
}

} // namespace treadle::detail

namespace treadle::counters {

using detail::counter_name;

const char* to_string(kind k) noexcept {
  constexpr const char* names[] = {"gauge", "monotonic", "average", "ratio", "elapsed", "histogram"};
  return names[static_cast<int>(k)];
}

counter::counter(std::string_view text) {
  const counter_name name = counter_name::parse(text);
  if (name.is_pattern()) throw std::invalid_argument("'" + std::string(text) + "' is not one counter but a pattern");
  m_state = detail::make_counter(name);
}
counter::counter(std::unique_ptr<detail::counter_state> state) noexcept : m_state(std::move(state)) {}
counter::counter(counter&&) noexcept = default;
counter& counter::operator=(counter&&) noexcept = default;
counter::~counter() = default;

const description& counter::about() const noexcept { return m_state->about(); }
double counter::value() const { return m_state->read().value; }
reading counter::read() const { return m_state->read(); }
void counter::reset() { m_state->reset(); }

std::vector<description> discover(std::string_view pattern) {
  std::vector<description> found;
  for (const auto& one : detail::matching_counters(counter_name::parse(pattern))) found.push_back(one->about());
  return found;
}

group::group(const std::vector<std::string>& patterns) {
  for (const std::string& pattern : patterns)
    for (auto& one : detail::wanted_counters(counter_name::parse(pattern)))
      m_counters.push_back(counter(std::move(one)));
}

std::vector<reading> group::read() const {
  std::vector<reading> all;
  all.reserve(m_counters.size());
  for (const counter& one : m_counters) {
    try {
      all.push_back(one.read());
    } catch (const std::runtime_error& e) {
      all.push_back({one.about().name, one.about().unit, detail::k_nothing, detail::steady_now_ns(), {}, e.what()});
    }
  }
  return all;
}

void group::reset() {
  for (counter& one : m_counters) one.reset();
}

} // namespace treadle::counters
