#include <treadle/when.hpp>

#include "task/wait/input_hooks.hpp"
#include "task/wait/lock_to_wait.hpp"

#include <treadle/detail/wait_queue.hpp>

#include <algorithm>
#include <thread>

namespace treadle::detail {
namespace {

/// Ready when so many of the inputs are.
class ready_counter final : public value_state<void>, public input_hooks<future_state, ready_counter> {
 public:
  ready_counter(std::size_t required, const std::vector<future_state*>& inputs)
      : input_hooks(inputs), m_required(required) {
    if (required == 0)
      set_value();
    else
      attach_hooks();
  }

  void input_fired(std::size_t) noexcept {
    if (m_fired.fetch_add(1, order::acq_rel) + 1 != m_required || !decide()) return;
    withdraw_hooks();
    set_value();
  }
  /// By the side that waits, when it cannot: afterwards the inputs may go.
  void give_up() noexcept {
    if (decide()) return withdraw_hooks();
    while (!is_ready()) std::this_thread::yield(); // a matter of instructions
  }

 private:
  const std::size_t m_required;
  atomic<std::size_t> m_fired{0};
};

intrusive_ptr<ready_counter> count_ready(std::size_t required, const std::vector<future_state*>& inputs) {
  return intrusive_ptr<ready_counter>::adopt(new ready_counter(std::min(required, inputs.size()), inputs));
}

} // namespace

intrusive_ptr<value_state<void>> ready_when(std::size_t required, const std::vector<future_state*>& inputs) {
  return intrusive_ptr<value_state<void>>::adopt(count_ready(required, inputs).detach());
}

void wait_until_ready(std::size_t required, const std::vector<future_state*>& inputs) {
  const auto counter = count_ready(required, inputs);
  try {
    counter->wait();
  } catch (...) {
    counter->give_up();
    throw;
  }
}

class each_ready::arrivals final : public input_hooks<future_state, arrivals> {
 public:
  explicit arrivals(const std::vector<future_state*>& inputs)
      : input_hooks(inputs), m_order(std::make_unique<std::size_t[]>(inputs.size())) {
    attach_hooks();
  }

  void add_ref() noexcept { m_owners.add(); }
  void release() noexcept {
    if (m_owners.drop()) delete this;
  }
  void input_fired(std::size_t index) noexcept {
    m_lock.lock();
    m_order[m_arrived++] = index;
    waiter* const consumer = m_consumer.take_one();
    m_lock.unlock();
    if (consumer) consumer->notify();
  }
  std::size_t next() {
    if (lock_to_wait(m_lock, [this] { return m_taken == m_arrived; }))
      m_consumer.wait(m_lock);
    else
      m_lock.unlock();
    const std::size_t index = m_order[m_taken++];
    forget(index); // get() may take its state
    return index;
  }
  void close() noexcept {
    decide();
    withdraw_hooks();
    release();
  }

 private:
  reference_count m_owners;
  spinlock m_lock;
  const std::unique_ptr<std::size_t[]> m_order; // of those that have arrived
  std::size_t m_arrived = 0;
  std::size_t m_taken = 0; // by the consumer alone
  wait_queue m_consumer;
};

each_ready::each_ready(const std::vector<future_state*>& inputs) : m_arrivals(new arrivals(inputs)) {}
each_ready::~each_ready() { m_arrivals->close(); }
std::size_t each_ready::next() { return m_arrivals->next(); }

} // namespace treadle::detail
