#include "distributed/placed_calls.hpp"

#include <treadle/detail/spinlock.hpp>

#include "physl/failure.hpp"
#include "value/bytes.hpp"

#include <iterator>
#include <list>
#include <sstream>
#include <string>
#include <utility>

namespace treadle::distributed {
namespace {

using tree::random_state;

value text_of(const random_state& random) {
  std::ostringstream text;
  text << random.seed << ' ' << random.engine;
  return text.str();
}
value optional_text_of(const std::optional<random_state>& random) { return random ? text_of(*random) : value(); }
std::optional<random_state> random_of(const value& text) {
  if (text.is_nil()) return {};
  random_state random;
  std::istringstream in{std::string(text.to_string_view())};
  in >> random.seed >> random.engine;
  if (!in) throw value_error("the state of random numbers is not readable");
  return random;
}

value list_of(const physl::run_options& o) {
  const auto& t = o.thresholds;
  return value::list({static_cast<int>(o.policy), o.count_threshold, o.lower_ns, o.upper_ns,
                      o.worth_ns ? value(*o.worth_ns) : value(), o.dense_diagonals, o.max_call_depth,
                      static_cast<int>(t.how), t.first_ns, t.last_ns, t.step_ns, t.window});
}
physl::run_options options_of(const value& list) {
  const auto number = [&](std::size_t i) { return static_cast<std::uint64_t>(list.item(i).to_int64()); };
  physl::run_options o;
  o.policy = static_cast<physl::policy>(number(0));
  o.count_threshold = number(1);
  o.lower_ns = number(2);
  o.upper_ns = number(3);
  if (!list.item(4).is_nil()) o.worth_ns = number(4);
  o.dense_diagonals = list.item(5).to_bool();
  o.max_call_depth = static_cast<std::size_t>(number(6));
  o.thresholds = {static_cast<search_strategy>(number(7)), number(8), number(9), number(10),
                  static_cast<std::uint32_t>(number(11))};
  return o;
}

value list_of(const physl::failure& f) {
  std::vector<value> calls;
  for (const auto& call : f.back_trace) calls.push_back(value::list({call.function, call.line, call.column}));
  return value::list({f.message, f.where.line, f.where.column, static_cast<int>(f.kind), value::list(std::move(calls)),
                      static_cast<std::uint64_t>(f.omitted)});
}
physl::failure failure_of(const value& list, unsigned at) {
  const auto small = [](const value& v) { return static_cast<std::uint32_t>(v.to_int64()); };
  std::string message(list.item(0).to_string_view());
  if (!message.starts_with("locality ")) message = "locality " + std::to_string(at) + ": " + message; // the innermost
  physl::failure f(std::move(message), {small(list.item(1)), small(list.item(2))},
                   static_cast<error_kind>(list.item(3).to_int64()));
  for (std::size_t i = 0, n = list.item(4).size(); i < n; ++i) {
    const value call = list.item(4).item(i);
    f.called_from(call.item(0).to_string_view(), {small(call.item(1)), small(call.item(2))});
  }
  f.omitted += static_cast<std::size_t>(list.item(5).to_int64());
  return f;
}

// Programs that others have sent calls of, the latest ones: a call costs no compilation, and what is learned of them
// stays.
class known_programs {
 public:
  physl::program find(const value& text, const value& name, const value& source) {
    const std::string key = repr(value::list({text, name, source}));
    if (auto known = look_up(key)) return *known;
    const auto view = [](const value& v) { return v.to_string_view(); };
    const physl::program made(view(text), std::string(view(name)), view(source),
                              std::string(view(name)) + " of others");
    if (auto known = look_up(key)) return *known;                  // somebody else has compiled it meanwhile
    std::list<std::pair<std::string, physl::program>> added, gone; // nothing is made or destroyed with the lock
    added.emplace_front(key, made);
    const detail::scoped_lock guard(m_lock);
    m_latest.splice(m_latest.begin(), added);
    if (m_latest.size() > k_most) gone.splice(gone.begin(), m_latest, std::prev(m_latest.end()));
    return made;
  }

 private:
  static constexpr std::size_t k_most = 64;
  std::optional<physl::program> look_up(const std::string& key) {
    const detail::scoped_lock guard(m_lock);
    for (auto i = m_latest.begin(); i != m_latest.end(); ++i)
      if (i->first == key) {
        m_latest.splice(m_latest.begin(), m_latest, i);
        return i->second;
      }
    return {};
  }
  detail::spinlock m_lock;
  std::list<std::pair<std::string, physl::program>> m_latest;
};
known_programs& programs_of_others() {
  static auto& all = *new known_programs;
  return all;
}

} // namespace

std::vector<std::byte> written(const tree::placed_call& call) {
  std::vector<std::byte> bytes;
  const auto& p = call.program;
  detail::write_bytes(bytes, value::list({p.text, p.name, p.source, call.node,
                                          value::list({call.arguments.begin(), call.arguments.end()}),
                                          list_of(call.options), optional_text_of(call.random)}));
  return bytes;
}

std::vector<std::byte> computed(std::span<const std::byte> call, const std::atomic<bool>& cancel) {
  tree::placed_result found;
  std::vector<std::byte> bytes;
  const auto write = [&] {
    bytes.clear();
    detail::write_bytes(bytes, value::list({found.result, found.written, optional_text_of(found.random),
                                            found.failed ? list_of(*found.failed) : value()}));
  };
  try {
    try {
      const value what = detail::read_bytes(call);
      const physl::program program = programs_of_others().find(what.item(0), what.item(1), what.item(2));
      std::vector<value> arguments;
      for (std::size_t i = 0, n = what.item(4).size(); i < n; ++i) arguments.push_back(what.item(4).item(i));
      physl::run_options options = options_of(what.item(5));
      options.cancel = &cancel;
      const tree::program_text known; // the program itself
      found = tree::execute_placed(program, {known, static_cast<std::uint32_t>(what.item(3).to_int64()), arguments,
                                             options, random_of(what.item(6))});
      write();
      return bytes;
    } catch (const physl::failure& f) { // its text does not compile
      found.failed = f;
    } catch (const value_error& e) { // the result is a function
      found.failed = {e.what(), {}, e.kind()};
    } catch (const std::exception& e) {
      found.failed = {e.what(), {}};
    }
    found.result = {};
    write();
  } catch (...) { // no memory: bytes that are no result, which is an error where they arrive
    bytes.clear();
  }
  return bytes;
}

tree::placed_result result_of(std::span<const std::byte> computed, unsigned at) {
  const value found = detail::read_bytes(computed);
  tree::placed_result r{found.item(0), std::string(found.item(1).to_string_view()), random_of(found.item(2)), {}};
  if (!found.item(3).is_nil()) r.failed = failure_of(found.item(3), at);
  return r;
}

} // namespace treadle::distributed
