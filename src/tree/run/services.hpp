// What primitives with effects use: the random numbers and the output of one run. Safe to use from concurrent tasks.
#pragma once

#include <treadle/arrays/physl.hpp>
#include <treadle/detail/spinlock.hpp>

#include "tree/run/other_localities.hpp"

#include <random>
#include <span>
#include <string>
#include <string_view>

namespace treadle::tree {

class run_services {
 public:
  explicit run_services(const physl::run_options& options) noexcept
      : m_write(options.write),
        m_print(options.print),
        m_write_context(options.write_context),
        m_keeps_diagonals(!options.dense_diagonals) {}

  void write(std::string_view text) {
    if (!m_write) return;
    detail::scoped_lock guard(m_output_lock);
    m_write(m_write_context, text);
  }

  void print(std::span<const value> values) {
    if (!m_print) {
      std::string text;
      for (const auto& v : values) text += (text.empty() ? "" : " ") + to_string(v);
      return write(text + "\n");
    }
    detail::scoped_lock guard(m_output_lock);
    m_print(m_write_context, values);
  }

  // Whether large kernels may run as several tasks.
  void allow_tasks(bool allowed) noexcept { m_tasks = allowed; }
  bool allows_tasks() const noexcept { return m_tasks; }
  // Whether diagonal matrices are made without their elements (docs/design/diagonals.md).
  bool keeps_diagonals() const noexcept { return m_keeps_diagonals; }

  // Calls f(engine) alone. Every run starts from the same seed, so that it can be repeated.
  template <class F>
  auto with_random(F&& f) {
    detail::scoped_lock guard(m_random_lock);
    return f(m_random.engine);
  }
  void seed(std::uint32_t s) {
    detail::scoped_lock guard(m_random_lock);
    m_random.engine.seed(s);
    m_random.seed = s;
  }
  std::uint32_t seed() {
    detail::scoped_lock guard(m_random_lock);
    return m_random.seed;
  }
  random_state random() {
    detail::scoped_lock guard(m_random_lock);
    return m_random;
  }
  void set_random(const random_state& to) {
    detail::scoped_lock guard(m_random_lock);
    m_random = to;
  }

  // What all localities give to an operation, in their order; of a program that has such operations.
  std::vector<value> all_gather(std::string_view operation, const value& own) {
    return m_exchanges->all_gather(operation, own);
  }
  // The same where localities take what they need.
  std::uint64_t offer(std::string_view operation, const value& own) { return m_exchanges->offer(operation, own); }
  value take(std::string_view operation, std::uint64_t number, unsigned from) {
    return m_exchanges->take(operation, number, from);
  }
  void exchange_by(run_exchanges& all) noexcept { m_exchanges = &all; }

 private:
  void (*m_write)(void*, std::string_view);
  void (*m_print)(void*, std::span<const value>);
  void* m_write_context;
  bool m_keeps_diagonals;
  detail::spinlock m_output_lock, m_random_lock;
  bool m_tasks = false;
  random_state m_random;
  run_exchanges* m_exchanges = nullptr;
};

} // namespace treadle::tree
