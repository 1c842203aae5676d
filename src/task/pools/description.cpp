#include <treadle/pools.hpp>

#include "base/names.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <stdexcept>
#include <utility>

namespace treadle {

namespace {

constexpr unsigned k_number_max = 1u << 20; // of workers, hardware threads, domains: a slip is refused

std::string quoted(std::string_view text) { return "'" + std::string(text) + "'"; }

template <class Number>
std::optional<Number> number_from(std::string_view text, Number max) {
  Number value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || value > max) return std::nullopt;
  return value;
}

/// Calls visit(piece) for what is between separators.
template <class Visit>
void split(std::string_view text, char separator, Visit visit) {
  for (;;) {
    const std::size_t end = std::min(text.find(separator), text.size());
    visit(text.substr(0, end));
    if (end == text.size()) return;
    text.remove_prefix(end + 1);
  }
}

/// "0-3+8".
std::vector<unsigned> list_from(std::string_view text) {
  std::vector<unsigned> result;
  split(text, '+', [&](std::string_view range) {
    const std::size_t dash = std::min(range.find('-'), range.size());
    const auto first = number_from(range.substr(0, dash), k_number_max);
    const auto last = dash == range.size() ? first : number_from(range.substr(dash + 1), k_number_max);
    if (!first || !last || *last < *first)
      throw std::invalid_argument("expected a list such as 0-3+8, got " + quoted(text));
    for (unsigned i = *first; i <= *last; ++i) result.push_back(i);
  });
  return result;
}

/// One thing that is said of a pool; `said` are the keys of those before.
void apply(pool& one, std::string_view field, std::vector<std::string_view>& said) {
  const std::size_t equals = std::min(field.find('='), field.size());
  const std::string_view key = field.substr(0, equals);
  const std::string_view what = field == "exclusive" ? field : equals == field.size() ? "a number of workers" : key;
  if (std::find(said.begin(), said.end(), what) != said.end())
    throw std::invalid_argument("has " + std::string(what) + " twice");
  said.push_back(what);
  if (field == "exclusive") {
    one.exclusive = true;
    return;
  }
  const std::string_view value = field.substr(std::min(equals + 1, field.size()));
  if (equals == field.size()) {
    const auto workers = number_from(field, k_number_max);
    if (!workers || *workers == 0)
      throw std::invalid_argument(
          "expected a number of workers, policy=NAME, cpus=LIST, domains=LIST, stack-bytes=N or exclusive, got " +
          quoted(field));
    one.workers = *workers;
  } else if (key == "policy") {
    one.policy = scheduling_from_name(value);
  } else if (key == "cpus") {
    one.cpus = list_from(value);
  } else if (key == "domains") {
    one.domains = list_from(value);
  } else if (key == "stack-bytes") {
    const auto bytes = number_from(value, ~std::size_t{0});
    if (!bytes || *bytes == 0) throw std::invalid_argument("expected a number of bytes, got " + quoted(value));
    one.stack_bytes = *bytes;
  } else {
    throw std::invalid_argument("nothing is called " + quoted(key) + "; there are policy, cpus, domains, stack-bytes");
  }
}

} // namespace

constexpr std::string_view k_names[] = {"work-stealing", "local-priority-fifo", "local-priority-lifo",
                                        "static",        "shared-priority",     "critical-path"};

std::string_view to_string(scheduling policy) noexcept { return k_names[static_cast<std::size_t>(policy)]; }
scheduling scheduling_from_name(std::string_view name) {
  return detail::enumerator_from_name<scheduling>(k_names, "scheduling policy", name);
}

pools::pools(std::string_view text) {
  if (text.empty()) return;
  try {
    split(text, ',', [this](std::string_view described) {
      pool one;
      std::vector<std::string_view> said;
      bool is_name = true;
      split(described, ':', [&](std::string_view field) {
        if (std::exchange(is_name, false)) {
          one.name = field;
          return;
        }
        try {
          apply(one, field, said);
        } catch (const std::invalid_argument& e) {
          throw std::invalid_argument("pool " + quoted(one.name) + ": " + e.what());
        }
      });
      add(std::move(one));
    });
  } catch (const std::invalid_argument& e) {
    throw std::invalid_argument("pools " + quoted(text) + ": " + e.what());
  }
}

pools& pools::add(pool one) {
  constexpr std::string_view k_letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_";
  if (one.name.empty() || one.name.size() > 15 || one.name.find_first_not_of(k_letters) != std::string::npos)
    throw std::invalid_argument(quoted(one.name) + " is no name for a pool (1 to 15 letters, digits, '-' and '_')");
  if (std::any_of(m_list.begin(), m_list.end(), [&](const pool& other) { return other.name == one.name; }))
    throw std::invalid_argument("there are two pools " + quoted(one.name));
  m_list.push_back(std::move(one));
  return *this;
}

} // namespace treadle
