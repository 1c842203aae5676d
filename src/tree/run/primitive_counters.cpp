#include "tree/run/primitive_counters.hpp"

#include "base/fork.hpp"
#include "observe/counter_type.hpp"
#include "observe/other_localities.hpp"

#include <algorithm>
#include <charconv>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <stdexcept>

namespace treadle::tree {
namespace {

using detail::order;

struct evaluations {
  std::uint64_t count = 0, ticks = 0;
};

struct registry {
  detail::fork_safe_mutex mutex;
  std::vector<const counted_program*> programs;
  std::map<std::string, evaluations, std::less<>> ended; // of programs that are gone, by primitive
};
registry& all() {
  static registry* const made = new registry; // never destroyed: programs and readers may be static objects
  return *made;
}

const std::string k_instance = "instance#";
enum class what : std::uint8_t { count, time, eval_direct };

/// One of the three, of one primitive. An instance is the one of that number among those of the primitive in its
/// program, as its name has it; a parameter is a part of a program's name, without one all programs are meant.
class primitive_counter final : public detail::counter_type {
 public:
  primitive_counter(std::string_view primitive, what shows)
      : counter_type(described(primitive, shows)), m_primitive(primitive), m_shows(shows) {}

  bool needs_naming() const override { return true; }

  std::vector<std::string> instances() const override {
    std::vector<std::string> found;
    if (m_shows != what::eval_direct) found.push_back(detail::at_home("total"));
    std::set<std::uint32_t> numbers;
    const std::lock_guard guard(all().mutex);
    visit({}, [&](const node& n, const node_statistics&) { numbers.insert(n.sequence); });
    for (const std::uint32_t number : numbers) found.push_back(detail::at_home(k_instance + std::to_string(number)));
    return found;
  }

  detail::counter_sample read(const std::string& instance, const std::string& parameters) const override {
    const bool is_total = instance == detail::at_home("total");
    const std::optional<std::uint32_t> number = number_of(instance);
    evaluations sum;
    std::optional<double> mode;
    const std::lock_guard guard(all().mutex); // of both sums: a program that ends passes from one to the other
    visit(parameters, [&](const node& n, const node_statistics& s) {
      if (!is_total && number != n.sequence) return;
      sum.count += s.count.load(order::relaxed);
      sum.ticks += s.inclusive.load(order::relaxed);
      mode = static_cast<double>(mode_of(n, s));
    });
    if (!is_total && !mode) throw std::runtime_error("no program has this instance of '" + m_primitive + "' now");
    if (is_total && parameters.empty()) add_ended(sum);
    switch (m_shows) {
    case what::count:
      return {.value = static_cast<double>(sum.count)};
    case what::time:
      return {.value = static_cast<double>(detail::ticks_to_ns(static_cast<std::int64_t>(sum.ticks)))};
    case what::eval_direct:
      break;
    }
    if (is_total) throw std::runtime_error("it is of one instance, such as {locality#0/instance#0}");
    return {.value = *mode};
  }

 private:
  // Nothing where the text is of no instance.
  static std::optional<std::uint32_t> number_of(const std::string& instance) {
    const std::string before = detail::at_home(k_instance);
    std::uint32_t number = 0;
    const char* const end = instance.data() + instance.size();
    if (!instance.starts_with(before)) return {};
    const auto [stop, error] = std::from_chars(instance.data() + before.size(), end, number);
    return error == std::errc() && stop == end ? std::optional(number) : std::nullopt;
  }
  static counters::description described(std::string_view primitive, what shows) {
    const std::string name = "/tree/primitives/" + std::string(primitive);
    switch (shows) {
    case what::count:
      return {name + "/count/eval", counters::kind::monotonic, "", "Evaluations of this primitive of execution trees."};
    case what::time:
      return {name + "/time/eval", counters::kind::monotonic, "ns",
              "Their time from when an evaluation began until its value was ready, operands included."};
    case what::eval_direct:
      break;
    }
    return {name + "/eval_direct", counters::kind::gauge, "",
            "How an instance is evaluated: 1 inline, 0 as a task, -1 undecided; of the last program that has it."};
  }

  // Both with the registry locked.
  template <class F>
  void visit(const std::string& program, F&& f) const {
    for (const counted_program* const one : all().programs) {
      if (one->name().find(program) == std::string::npos) continue;
      for (const node* const n : one->nodes())
        if (n->primitive_name() == m_primitive) f(*n, one->statistics(*n));
    }
  }
  void add_ended(evaluations& to) const {
    if (const auto found = all().ended.find(m_primitive); found != all().ended.end()) {
      to.count += found->second.count;
      to.ticks += found->second.ticks;
    }
  }

  const std::string m_primitive;
  const what m_shows;
};

} // namespace

counted_program::counted_program(const std::string& name, std::span<const node* const> nodes,
                                 node_statistics* statistics)
    : m_name(name), m_nodes(nodes), m_statistics(statistics) {
  registry& r = all();
  std::vector<std::string> fresh;
  {
    const std::lock_guard guard(r.mutex);
    for (const node* const n : nodes) {
      if (r.ended.find(n->primitive_name()) != r.ended.end()) continue;
      fresh.emplace_back(n->primitive_name());
      r.ended.try_emplace(fresh.back());
    }
  }
  for (const std::string& primitive : fresh)
    for (const what shows : {what::count, what::time, what::eval_direct})
      detail::add_counter_type(std::make_shared<primitive_counter>(primitive, shows));
  const std::lock_guard guard(r.mutex);
  r.programs.push_back(this);
}

void counted_program::keep_totals() noexcept {
  for (const node* const n : m_nodes) {
    evaluations& sum = all().ended.find(n->primitive_name())->second;
    sum.count += m_statistics[n->index].count.exchange(0, order::relaxed);
    sum.ticks += m_statistics[n->index].inclusive.exchange(0, order::relaxed);
  }
}

void counted_program::reset() noexcept {
  const std::lock_guard guard(all().mutex);
  keep_totals();
}

counted_program::~counted_program() {
  const std::lock_guard guard(all().mutex);
  std::erase(all().programs, this);
  keep_totals();
}

} // namespace treadle::tree
