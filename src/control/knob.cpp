#include <treadle/tune/knob.hpp>

#include "base/claim.hpp"
#include "base/fork.hpp"
#include "observe/knob_list.hpp"
#include "task/engine/tunables.hpp"

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <mutex>
#include <optional>
#include <stdexcept>

namespace treadle::detail {

void refuse_domain(std::string_view what) {
  throw std::invalid_argument("not a domain of a knob: " + std::string(what));
}

/// What is shown of it.
class shown_knob final : public listed_knob {
 public:
  explicit shown_knob(knob_base& of) : m_of(of), m_listing(*this) {}
  bool is_given() const noexcept { return m_listing.is_given(); }

  std::string_view knob_name() const noexcept override { return m_of.name(); }
  std::string knob_value() const override { return m_of.text(m_of.index()); }
  double knob_number() const noexcept override { // what is no number by its place among all
    const std::string text = knob_value();
    char* end = nullptr;
    const double value = std::strtod(text.c_str(), &end);
    return end != text.c_str() && *end == '\0' ? value : m_of.index();
  }
  std::string knob_values() const override { return m_of.domain_text(); }
  std::string_view knob_meaning() const noexcept override { return {}; }
  void set_from_text(std::string_view text) override {
    if (const std::string session = m_of.claimed_by(); !session.empty())
      throw std::invalid_argument("knob '" + m_of.name() + "' is set by session '" + session + "'");
    m_of.set_text(text);
  }

 private:
  knob_base& m_of;
  knob_listing m_listing;
};

namespace {

/// One for the state of all knobs, which is changed seldom and at once.
fork_safe_mutex& state_mutex() {
  static auto& mutex = *new fork_safe_mutex; // knobs may be static objects
  return mutex;
}

} // namespace

struct knob_base::shared {
  std::vector<std::shared_ptr<change_listener>> listeners;
  std::uint64_t changes = 0, told = 0;
  treadle::detail::claim telling;
  const std::string* session = nullptr; // the name of the one that sets the knob
  std::optional<shown_knob> shown;
};

knob_base::knob_base(std::string_view name) : m_name(name), m_shared(std::make_unique<shared>()) {
  if (name.empty()) throw std::invalid_argument("a knob needs a name");
  if (name.starts_with("runtime."))
    throw std::invalid_argument("knob '" + m_name + "': names that begin with 'runtime.' are the runtime's own");
}
knob_base::~knob_base() = default;

void knob_base::refuse(const std::string& value) const {
  throw std::invalid_argument("knob '" + m_name + "' cannot be " + value + ": its values are " + domain_text());
}

std::string knob_base::domain_text() const {
  return text(0) + (choices() > 1 ? " to " + text(choices() - 1) : "") + ", " + std::to_string(choices()) + " of them";
}

void knob_base::list() {
  publish_knobs();
  m_shared->shown.emplace(*this);
}
void knob_base::unlist() noexcept { m_shared->shown.reset(); }
bool knob_base::is_given() const noexcept { return m_shared->shown && m_shared->shown->is_given(); }

std::uint32_t knob_base::position(std::string_view value) const {
  std::uint32_t i = 0;
  while (i < choices() && text(i) != value) ++i;
  return i;
}

void knob_base::set_text(std::string_view value) {
  const std::uint32_t i = position(value);
  if (i == choices()) refuse(std::string(value));
  set_index(i);
}

void knob_base::add(std::unique_ptr<change_listener> listener) {
  const std::lock_guard guard(state_mutex());
  m_shared->listeners.push_back(std::move(listener));
}

void knob_base::set_index(std::uint32_t i) {
  shared& s = *m_shared;
  std::unique_lock held(state_mutex());
  if (i == index()) return;
  auto listeners = s.listeners;
  store(i);
  if (s.shown) trace_knob(*s.shown);
  ++s.changes;
  if (!s.telling.take()) return; // the thread that is telling tells this change, too
  std::exception_ptr error;
  while (s.told != s.changes) {
    s.told = s.changes;
    held.unlock();
    for (const auto& listener : listeners) {
      try {
        listener->changed();
      } catch (...) {
        if (!error) error = std::current_exception();
      }
    }
    held.lock();
  }
  s.telling.release();
  if (error) std::rethrow_exception(error);
}

const std::string* knob_base::claim(const std::string& session) noexcept {
  const std::lock_guard guard(state_mutex());
  if (m_shared->session) return m_shared->session;
  m_shared->session = &session;
  return nullptr;
}

std::string knob_base::claimed_by() const {
  const std::lock_guard guard(state_mutex());
  return m_shared->session ? *m_shared->session : std::string();
}

void knob_base::release() noexcept {
  const std::lock_guard guard(state_mutex());
  m_shared->session = nullptr;
}

} // namespace treadle::detail

namespace treadle {

std::vector<knob_report> knobs() {
  detail::publish_knobs();
  std::vector<knob_report> all;
  detail::for_each_knob([&](detail::listed_knob& k) {
    all.push_back({std::string(k.knob_name()), k.knob_value(), k.knob_values(), std::string(k.knob_meaning())});
  });
  std::sort(all.begin(), all.end(), [](const knob_report& a, const knob_report& b) { return a.name < b.name; });
  return all;
}

void set_knob(std::string_view name, std::string_view value) {
  detail::publish_knobs();
  std::vector<detail::listed_knob*> found;
  detail::for_each_knob([&](detail::listed_knob& k) {
    if (k.knob_name() == name) found.push_back(&k);
  });
  if (found.empty()) {
    std::string known;
    for (const knob_report& one : knobs()) known += (known.empty() ? "" : ", ") + one.name;
    throw std::invalid_argument("no knob '" + std::string(name) + "'; there are " + known);
  }
  std::exception_ptr error;
  for (detail::listed_knob* k : found) {
    try {
      k->set_from_text(value); // may call code of the program
    } catch (...) {
      if (!error) error = std::current_exception();
    }
  }
  if (error) std::rethrow_exception(error);
}

} // namespace treadle
