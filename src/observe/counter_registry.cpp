#include "base/fork.hpp"
#include "observe/counter_name.hpp"
#include "observe/counter_type.hpp"

#include <algorithm>
#include <mutex>
#include <stdexcept>

namespace treadle::detail {
namespace {

struct registry {
  fork_safe_mutex mutex;
  std::vector<std::shared_ptr<const counter_type>> types;
};
registry& types() {
  static registry* r = new registry; // never destroyed: readers may be static objects
  return *r;
}

/// A counter of the program's own.
class user_counter final : public counter_type {
 public:
  user_counter(counters::description about, std::string instance, std::shared_ptr<counter_function> function)
      : counter_type(std::move(about)), m_instance(std::move(instance)), m_function(std::move(function)) {}

  std::vector<std::string> instances() const override { return {m_instance}; }
  counter_sample read(const std::string&, const std::string&) const override {
    std::lock_guard guard(m_mutex);
    if (!m_function) throw std::runtime_error("counter '" + about().name + "' is not defined any more");
    try {
      return {.value = m_function->read()};
    } catch (const std::exception& e) {
      throw std::runtime_error("counter '" + about().name + "': " + e.what());
    } catch (...) {
      throw std::runtime_error("counter '" + about().name + "': its function threw something");
    }
  }
  void forget() const noexcept {
    std::lock_guard guard(m_mutex);
    m_function.reset();
  }

 private:
  const std::string m_instance;
  mutable std::mutex m_mutex; // one reading after the other, and none after the end
  mutable std::shared_ptr<counter_function> m_function;
};

bool is_same(const counter_type& a, const counter_type& b) {
  return a.about().name == b.about().name && a.instances() == b.instances();
}

} // namespace

counter_type::counter_type(counters::description about) : m_about(std::move(about)) {
  counter_name name = counter_name::parse(m_about.name);
  m_object = std::move(name.object);
  m_counter = std::move(name.counter);
}

void add_counter_type(std::shared_ptr<const counter_type> type) {
  registry& all = types();
  std::lock_guard guard(all.mutex);
  if (std::any_of(all.types.begin(), all.types.end(), [&](const auto& other) { return is_same(*other, *type); }))
    throw std::invalid_argument("counter '" + type->about().name + "' is defined already");
  all.types.push_back(std::move(type));
}

std::vector<std::shared_ptr<const counter_type>> counter_types() {
  registry& all = types();
  std::lock_guard guard(all.mutex);
  return all.types;
}

void define_counter(counters::description what, std::shared_ptr<counter_function> function) {
  const counter_name name = counter_name::parse(what.name);
  if (name.is_pattern() || !name.base.empty() || !name.parameters.empty())
    throw std::invalid_argument("counter '" + what.name +
                                "': a definition needs a name without wildcards, parameters "
                                "and other counters");
  if (what.kind == counters::kind::average || what.kind == counters::kind::ratio ||
      what.kind == counters::kind::histogram)
    throw std::invalid_argument("counter '" + what.name + "': one number is no " + counters::to_string(what.kind));
  for (const char* own : {"threads", "threadqueue", "scheduler", "runtime", "tuning", "rules", "knobs", "statistics",
                          "arithmetics", "papi", "tree"}) {
    if (name.object == own)
      throw std::invalid_argument("counter '" + what.name + "': counters of /" + own + " are Treadle's own");
  }
  what.name = '/' + name.object + '/' + name.counter;
  add_counter_type(std::make_shared<user_counter>(std::move(what), name.instance_text(), std::move(function)));
}

void remove_counter(const std::string& text) noexcept {
  const counter_name name = counter_name::parse(text); // was accepted before
  registry& all = types();
  std::shared_ptr<const counter_type> removed;
  {
    std::lock_guard guard(all.mutex);
    const auto found = std::find_if(all.types.begin(), all.types.end(), [&](const auto& type) {
      return type->object() == name.object && type->counter() == name.counter &&
             type->instances() == std::vector{name.instance_text()};
    });
    if (found == all.types.end()) return;
    removed = *found;
    all.types.erase(found);
  }
  static_cast<const user_counter&>(*removed).forget();
}

} // namespace treadle::detail
