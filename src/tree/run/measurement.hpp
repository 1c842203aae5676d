// What surrounds the execution of every node: its statistics, the place of its errors, and enough stack.
#pragma once

#include "tree/nodes/node.hpp"

#include <treadle/this_task.hpp>

#include <exception>
#include <new>
#include <string>
#include <utility>

namespace treadle::tree {

// Measures one evaluation, from the context's present moment or an earlier start. finish() is not reached when it
// throws.
class measurement {
 public:
  explicit measurement(context& c) noexcept : measurement(c, c.now) {}
  measurement(context& c, std::int64_t start) noexcept
      : m_context(c), m_start(start), m_own_start(c.now), m_outer(std::exchange(c.children, 0)) {}

  void finish(const node& n, bool spawned) noexcept {
    auto& c = m_context;
    c.now = detail::ticks_now();
    const auto inclusive = difference(c.now, m_start);
    const auto self = difference(c.now - m_own_start, c.children);
    c.children = m_outer + static_cast<std::int64_t>(inclusive);
    if (c.local) {
      auto& s = c.local[n.index];
      ++s.count;
      s.inclusive += inclusive;
      s.self += self;
      s.spawned += spawned;
      return;
    }
    auto& s = c.run.statistics(n.index);
    s.inclusive.fetch_add(inclusive, detail::order::relaxed);
    s.self.fetch_add(self, detail::order::relaxed);
    if (spawned) s.spawned.fetch_add(1, detail::order::relaxed);
    s.count.fetch_add(1, detail::order::relaxed);
  }
  // The evaluation goes on elsewhere: hands what the operands took to the node around.
  void hand_over() noexcept { m_context.children += m_outer; }

 private:
  static std::uint64_t difference(std::int64_t end, std::int64_t start) noexcept {
    return end > start ? static_cast<std::uint64_t>(end - start) : 0; // clocks of two cores may differ by a little
  }

  context& m_context;
  std::int64_t m_start, m_own_start, m_outer;
};

inline void count_leaf(const node& n, context& c) noexcept {
  if (c.local)
    ++c.local[n.index].count;
  else
    c.run.statistics(n.index).count.fetch_add(1, detail::order::relaxed);
}

[[noreturn]] inline void fail_here(const node& n, const char* message, error_kind kind = error_kind::program) {
  throw failure(std::string(n.primitive_name()) + ": " + message, n.where(), kind);
}

// Gives errors of kernels their place.
template <class F>
value located(const node& n, F&& f) {
  try {
    return f();
  } catch (const std::bad_alloc&) {
    fail_here(n, "out of memory", error_kind::memory);
  } catch (const value_error& e) {
    fail_here(n, e.what(), e.kind());
  } catch (const std::exception& e) {
    fail_here(n, e.what());
  }
}

// f(context&), on another stack when this one is nearly used up.
template <class F>
auto with_stack(const node& n, context& c, F&& f) -> decltype(f(c)) {
  if (!n.check_stack || !c.stack_is_low()) return f(c);
  return this_task::on_fresh_stack([&] {
    context fresh(c);
    auto result = f(fresh);
    fresh.return_to(c);
    return result;
  });
}

} // namespace treadle::tree
