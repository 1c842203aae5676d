// eval: from a node to its value, which may be here already or be on its way.
#pragma once

#include <treadle/async.hpp>

#include "tree/node.hpp"

#include <exception>
#include <span>
#include <utility>

namespace treadle::tree {

// A value that is here already or will be. Most are here, and then no future exists.
class eventual {
 public:
  eventual() = default;
  eventual(value v) noexcept : m_value(std::move(v)) {}
  eventual(future<value> f) noexcept : m_future(std::move(f)) {}

  bool is_ready() const noexcept { return !m_future.valid(); }
  value& ready_value() noexcept { return m_value; }
  future<value>& pending() noexcept { return m_future; }

  // Once. Suspends while it is not here; that time is not the caller's own.
  value get(context& c) {
    if (is_ready()) return std::move(m_value);
    const auto before = c.now;
    value v = m_future.get();
    c.now = detail::ticks_now();
    c.children += c.now - before;
    return v;
  }

 private:
  value m_value;
  future<value> m_future;
};

// Starts the evaluation of a node. All that it starts is done before the eventual is ready, so the frame needs to live
// no longer than until then. Throws what an inline part throws, when nothing it started is left running.
eventual eval(const node& n, frame& f, context& c);

// Replaces the value of async(e) by what it stands for; waits.
void settle(value& v, context& c);
// evaluate(), and that.
value evaluate_settled(const node& n, frame& f, context& c);

namespace detail_evaluate {
using task_body = value (*)(void* body, context& c);
value run_task(const node& n, run_state& run, std::uint32_t depth, std::int64_t start, task_body call, void* body);
} // namespace detail_evaluate

// Runs body(context&) -> value as an execution of `n` in a task of its own.
template <class Body>
future<value> spawn(const node& n, context& c, Body body) {
  return async(launch::async,
               [&n, &run = c.run, depth = c.depth, start = c.now, body = std::move(body)]() mutable -> value {
                 return detail_evaluate::run_task(
                     n, run, depth, start,
                     [](void* b, context& here) -> value { return (*static_cast<Body*>(b))(here); }, &body);
               });
}

// Runs body(context&) -> value in a task that is not the execution of any one instance.
template <class Body>
future<value> start_task(const context& c, Body body) {
  return async(launch::async, [&run = c.run, depth = c.depth, body = std::move(body)]() mutable -> value {
    context here(run, depth);
    return body(here);
  });
}

// Waits for all, then rethrows the error of the first that failed, else `otherwise`: what the caller caught.
[[noreturn]] void rethrow_first(std::span<eventual> started, context& c, std::exception_ptr otherwise);

// The values of all in order; when some failed, waits for all and rethrows the error of the first.
std::vector<value> get_all(std::span<eventual> started, context& c);

} // namespace treadle::tree
