#include <treadle/tune/knob.hpp>

#include <mutex>
#include <stdexcept>

namespace treadle::detail {

void refuse_domain(std::string_view what) {
  throw std::invalid_argument("not a domain of a knob: " + std::string(what));
}

struct knob_base::shared {
  std::mutex mutex;
  std::vector<std::unique_ptr<change_listener>> listeners;
  const std::string* session = nullptr; // the name of the one that sets the knob
};

knob_base::knob_base(std::string_view name) : m_name(name), m_shared(std::make_unique<shared>()) {
  if (name.empty()) throw std::invalid_argument("a knob needs a name");
}
knob_base::~knob_base() = default;

void knob_base::refuse(const std::string& value) const {
  throw std::invalid_argument("knob '" + m_name + "' cannot be " + value + ": its values are " + text(0) +
                              (choices() > 1 ? " to " + text(choices() - 1) : "") + ", " + std::to_string(choices()) +
                              " of them");
}

void knob_base::add(std::unique_ptr<change_listener> listener) {
  std::lock_guard guard(m_shared->mutex);
  m_shared->listeners.push_back(std::move(listener));
}

void knob_base::set_index(std::uint32_t i) {
  std::lock_guard guard(m_shared->mutex);
  if (i == index()) return;
  store(i);
  for (const auto& listener : m_shared->listeners) listener->changed();
}

const std::string* knob_base::claim(const std::string& session) noexcept {
  std::lock_guard guard(m_shared->mutex);
  if (m_shared->session) return m_shared->session;
  m_shared->session = &session;
  return nullptr;
}

void knob_base::release() noexcept {
  std::lock_guard guard(m_shared->mutex);
  m_shared->session = nullptr;
}

} // namespace treadle::detail
