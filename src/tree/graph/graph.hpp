// Evaluation as a graph of futures: each node from the leaves up is a call or a task of its own when its turn comes, by
// the decision on its primitive instance ("Runtime Adaptive Task Inlining", section 2.2).
#pragma once

#include "tree/nodes/node.hpp"

#include <treadle/async.hpp>

#include <exception>
#include <span>
#include <utility>
#include <vector>

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
