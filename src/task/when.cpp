#include <treadle/when.hpp>

namespace treadle::detail {
namespace {

/// Counts inputs that became ready. Every attached hook holds a reference: with when_any the others may fire much
/// later.
class ready_counter final : public value_state<void> {
 public:
  ready_counter(std::size_t required, const std::vector<future_state*>& inputs) : m_required(required) {
    m_hooks.reserve(inputs.size());
    for (std::size_t i = 0; i < inputs.size(); ++i) m_hooks.emplace_back(*this);
  }
  void attach_to(const std::vector<future_state*>& inputs) {
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      add_ref();
      inputs[i]->attach(m_hooks[i]);
    }
  }

 private:
  struct hook final : continuation {
    explicit hook(ready_counter& o) noexcept : owner(&o) {}
    void fire() noexcept override {
      ready_counter* counter = owner;
      if (counter->m_fired.fetch_add(1, order::acq_rel) + 1 == counter->m_required) counter->set_value();
      counter->release();
    }
    ready_counter* owner;
  };

  const std::size_t m_required;
  atomic<std::size_t> m_fired{0};
  std::vector<hook> m_hooks;
};

} // namespace

intrusive_ptr<value_state<void>> ready_when(std::size_t required, const std::vector<future_state*>& inputs) {
  required = required < inputs.size() ? required : inputs.size();
  auto* counter = new ready_counter(required, inputs);
  auto result = intrusive_ptr<value_state<void>>::adopt(counter);
  if (required == 0)
    counter->set_value();
  else
    counter->attach_to(inputs);
  return result;
}

} // namespace treadle::detail
