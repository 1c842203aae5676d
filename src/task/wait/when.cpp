#include <treadle/when.hpp>

#include "task/wait/input_hooks.hpp"
#include "task/wait/lock_to_wait.hpp"

#include <treadle/detail/wait_queue.hpp>

#include <algorithm>
#include <thread>
#include <utility>

namespace treadle::detail {
namespace {

/// Ready when so many of the inputs are.
class ready_counter final : public value_state<void>, public input_hooks<future_state, ready_counter> {
 public:
  ready_counter(std::size_t required, std::vector<future_state*> inputs)
      : input_hooks(std::move(inputs)), m_required(std::min(required, count())) {
    if (m_required == 0)
      set_value();
    else
      attach_hooks();
  }

  void input_fired(std::size_t) noexcept {
    if (m_fired.fetch_add(1, order::acq_rel) + 1 != m_required || !decide()) return;
    if (m_required < count()) withdraw_hooks(); // else all have fired
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

} // namespace

intrusive_ptr<value_state<void>> ready_when(std::size_t required, std::vector<future_state*> inputs) {
  return intrusive_ptr<value_state<void>>::adopt(new ready_counter(required, std::move(inputs)));
}

void wait_until_ready(std::size_t required, std::vector<future_state*> inputs) {
  const auto counter = intrusive_ptr<ready_counter>::adopt(new ready_counter(required, std::move(inputs)));
  try {
    counter->wait();
  } catch (...) {
    counter->give_up();
    throw;
  }
}

class each_ready::arrivals final : public input_hooks<future_state, arrivals> {
 public:
  explicit arrivals(std::vector<future_state*> inputs)
      : input_hooks(std::move(inputs)), m_order(std::make_unique<std::size_t[]>(count())) {
    attach_hooks();
  }

  void add_ref(std::uint32_t n) noexcept { m_owners.add(n); }
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

each_ready::each_ready(std::vector<future_state*> inputs) : m_arrivals(new arrivals(std::move(inputs))) {}
each_ready::~each_ready() { m_arrivals->close(); }
std::size_t each_ready::next() { return m_arrivals->next(); }

} // namespace treadle::detail
