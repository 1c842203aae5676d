#include "sim/graphs/graphs.hpp"

#include <algorithm>
#include <charconv>
#include <span>
#include <stdexcept>
#include <string>

namespace treadle::sim {
namespace {

/// A number of the description, where it goes, and what it may be.
struct parameter {
  std::string_view name;
  std::int64_t* value;
  std::int64_t least, most;
};

[[noreturn]] void refuse(std::string_view description, const std::string& why) {
  throw std::invalid_argument("'" + std::string(description) + "': " + why);
}

void set(std::string_view description, std::string_view field, std::span<const parameter> known) {
  const std::size_t equals = std::min(field.find('='), field.size());
  const std::string_view name = field.substr(0, equals), text = field.substr(std::min(equals + 1, field.size()));
  std::string names;
  for (const parameter& one : known) {
    names += (names.empty() ? "" : ", ") + std::string(one.name);
    if (one.name != name) continue;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *one.value);
    if (error != std::errc{} || end != text.data() + text.size() || *one.value < one.least || *one.value > one.most)
      refuse(description, std::string(name) + " is a number from " + std::to_string(one.least) + " to " +
                              std::to_string(one.most) + ", got '" + std::string(text) + "'");
    return;
  }
  refuse(description, "nothing is called '" + std::string(name) + "'; there are " + names);
}

void read(std::string_view description, std::initializer_list<parameter> known) {
  const std::size_t colon = description.find(':');
  std::string_view rest = colon == description.npos ? std::string_view{} : description.substr(colon + 1);
  while (!rest.empty()) {
    const std::string_view field = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(field.size() + 1, rest.size()));
    set(description, field, {known.begin(), known.size()});
  }
}

constexpr std::int64_t k_ns_most = 1'000'000'000;
constexpr std::int64_t k_cell_most = 1'000'000'000'000; // ns, or bytes

detail::recorded_graph make_cholesky(std::string_view description) {
  cholesky_parameters p;
  read(description, {{"t", &p.t, 1, 200}, {"r", &p.r, 1, 1000}, {"unit", &p.unit_ns, 1, k_ns_most}});
  return cholesky(p);
}
detail::recorded_graph make_merge_sort(std::string_view description) {
  merge_sort_parameters p;
  read(description,
       {{"n", &p.n, 1, 100'000'000}, {"cutoff", &p.cutoff, 1, 100'000'000}, {"compare", &p.compare_ns, 1, 1000}});
  if (p.n / p.cutoff > 2'000'000) refuse(description, "makes more than some million tasks: a larger cutoff is needed");
  return merge_sort(p);
}
detail::recorded_graph make_fib(std::string_view description) {
  fib_parameters p;
  read(description, {{"n", &p.n, 0, 60}, {"cutoff", &p.cutoff, 0, 60}, {"call", &p.call_ns, 1, 1000}});
  if (p.n - std::max<std::int64_t>(p.cutoff, 1) > 28)
    refuse(description, "makes more than some million tasks: a larger cutoff is needed");
  return fib(p);
}
detail::recorded_graph make_stencil(std::string_view description) {
  stencil_parameters p;
  read(description, {{"width", &p.width, 1, 100'000},
                     {"steps", &p.steps, 1, 100'000},
                     {"cell", &p.cell_ns, 1, k_cell_most},
                     {"bytes", &p.bytes, 0, k_cell_most}});
  if (p.width * p.steps > 3'000'000) refuse(description, "makes more than three million tasks");
  return stencil(p);
}

struct generator {
  std::string_view name;
  detail::recorded_graph (*make)(std::string_view description);
};
constexpr generator k_generators[] = {
    {"cholesky", make_cholesky}, {"merge-sort", make_merge_sort}, {"fib", make_fib}, {"stencil", make_stencil}};

const generator* find(std::string_view description) noexcept {
  const std::string_view name = description.substr(0, description.find(':'));
  for (const generator& one : k_generators)
    if (one.name == name) return &one;
  return nullptr;
}

} // namespace

bool is_generator(std::string_view description) noexcept { return find(description) != nullptr; }

detail::recorded_graph generate(std::string_view description) {
  if (const generator* one = find(description)) return one->make(description);
  refuse(description, "no generator has that name; there are cholesky, merge-sort, fib, stencil");
}

} // namespace treadle::sim
