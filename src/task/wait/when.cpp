#include <treadle/when.hpp>

#include "task/counters/task_events.hpp"
#include "task/wait/lock_to_wait.hpp"
#include "task/wait/required_inputs.hpp"

#include <treadle/detail/wait_queue.hpp>

#include <utility>

namespace treadle::detail {

void awaited_inputs::start(std::size_t required, std::vector<future_state*> inputs, when_target target) {
  if (is_wanted(event_kind::join_made) && required >= inputs.size()) { // a join of all of them
    for (const future_state* input : inputs) note_input(*target.state, *input);
    tell_join(*target.state, "when_all", true);
  } else if (records_dependences()) {
    note_no_task(*target.state);
  }
  m_inputs = new required_inputs<future_state, when_target>(required, std::move(inputs), target);
  m_inputs->start();
}

awaited_inputs::~awaited_inputs() {
  if (m_inputs) m_inputs->close();
}

void wait_until_ready(std::size_t required, std::vector<future_state*> inputs) {
  const auto ready = make_open_state<void>();
  awaited_inputs awaited;
  awaited.start(required, std::move(inputs),
                {ready.get(), [](future_state& s) noexcept { static_cast<value_state<void>&>(s).construct(); }});
  ready->wait();
}

class each_ready::arrivals final : public input_hooks<future_state, arrivals> {
 public:
  explicit arrivals(std::vector<future_state*> inputs)
      : input_hooks(std::move(inputs)), m_order(std::make_unique<std::size_t[]>(count())) {
    attach_hooks();
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
  spinlock m_lock;
  const std::unique_ptr<std::size_t[]> m_order; // of those that have arrived
  std::size_t m_arrived = 0;
  std::size_t m_taken = 0; // by the consumer alone
  wait_queue m_consumer;
};

each_ready::each_ready(std::vector<future_state*> inputs) : m_arrivals(new arrivals(std::move(inputs))) {}
each_ready::~each_ready() { m_arrivals->close(); }
std::size_t each_ready::next() { return m_arrivals->next(); }

} // namespace treadle::detail
