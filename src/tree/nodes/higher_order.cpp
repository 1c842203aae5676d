// Forms that call functions over sequences, and asynchronous values.
#include "tree/graph/graph.hpp"
#include "tree/nodes/forms.hpp"
#include "tree/parallel/overlap.hpp"

#include <algorithm>

namespace treadle::tree {
namespace {

// The sequences of fmap(f, a, b, ...), as long as the shortest.
struct sequences {
  sequences(const node& self, std::size_t first, frame& f, context& c) {
    for (const node* operand : self.operands().subspan(first)) {
      all.push_back(evaluate_settled(*operand, f, c));
      count = std::min(count, all.back().size());
    }
  }
  std::vector<value> items(std::size_t i) const {
    std::vector<value> result;
    for (const auto& s : all) result.push_back(s.item(i));
    return result;
  }

  std::vector<value> all;
  std::size_t count = static_cast<std::size_t>(-1);
};

// A value that is on its way, held by any number of variables and lists.
struct future_object final : detail::dynamic_object {
  explicit future_object(shared_future<value> f) : dynamic_object(value_kind::future), result(std::move(f)) {}
  value wait() const override {
    try {
      return result.get().wait();
    } catch (const failure& e) {
      throw failure(e); // several consumers may add to its back-trace
    }
  }
  std::string describe() const override { return to_string(wait()); }

  shared_future<value> result;
};

} // namespace

value execute_async(const node& self, frame& f, context& c) {
  const node& operand = *self.operands()[0];
  if (!c.spawns() && !(c.overlaps() && c.run.is_worth_a_task(operand.index, 1, c.local)))
    return evaluate(operand, f, c);
  struct released { // the task may outlive the call whose frame it reads
    void operator()(frame* captured) const noexcept { captured->release(); }
  };
  auto task = [kept = std::unique_ptr<frame, released>(f.capture(c.run)), &operand](context& here) {
    return evaluate_settled(operand, *kept, here);
  };
  shared_future<value> result = start_task(c, std::move(task)).share();
  c.run.add_asynchronous(result);
  return value::adopt(value_kind::future, new future_object(std::move(result)));
}

value execute_map(const node& self, frame& f, context& c) {
  const callee function(*self.operands()[0], f, c);
  const sequences input(self, 1, f, c);
  std::vector<value> results;
  results.reserve(input.count);
  for (std::size_t i = 0; i < input.count; ++i) {
    auto args = input.items(i);
    results.push_back(function(args, c));
  }
  return value::list(std::move(results));
}

namespace {

// Calls as a loop, and once they are known to be worth it the rest of them at the same time.
value map_in_parts(const callee& function, const sequences& input, const node* body, context& c) {
  std::vector<value> results(input.count);
  const auto call = [&](context& here, std::uint64_t i) {
    auto args = input.items(i);
    results[i] = function(args, here);
  };
  for (std::uint64_t i = 0; i < input.count; ++i) {
    const auto left = input.count - i;
    if (body && left > 1 && c.overlaps() && asks_at(i) && c.run.is_worth_a_task(body->index, left / 2, c.local)) {
      overlap(
          c, left, [&](context& here, std::uint64_t k) { call(here, i + k); },
          [&](std::uint64_t) { return body->index; });
      break;
    }
    call(c, i);
  }
  return value::list(std::move(results));
}

} // namespace

value execute_parallel_map(const node& self, frame& f, context& c) {
  const callee function(*self.operands()[0], f, c);
  const sequences input(self, 1, f, c);
  const node* body = function.body();
  if (!c.spawns()) return map_in_parts(function, input, body, c);
  std::vector<eventual> started;
  started.reserve(input.count);
  for (std::size_t i = 0; i < input.count; ++i) {
    const bool inlined = body && !body->is_leaf() && !body->always_inline && c.run.decide_inline(body->index);
    try {
      if (inlined) {
        auto args = input.items(i);
        started.push_back(function(args, c));
      } else {
        started.push_back(start_task(c, [&function, &input, i](context& here) {
          auto args = input.items(i);
          return function(args, here);
        }));
      }
    } catch (...) {
      rethrow_first(started, c, std::current_exception());
    }
  }
  return value::list(get_all(started, c));
}

value execute_filter(const node& self, frame& f, context& c) {
  const callee function(*self.operands()[0], f, c);
  const sequences input(self, 1, f, c);
  std::vector<value> kept;
  for (std::size_t i = 0; i < input.count; ++i) {
    auto args = input.items(i);
    value verdict = function(args, c);
    settle(verdict, c);
    if (verdict.to_bool()) kept.push_back(input.all[0].item(i));
  }
  return value::list(std::move(kept));
}

namespace {

value fold(const node& self, frame& f, context& c, bool from_left) {
  const callee function(*self.operands()[0], f, c);
  value result = evaluate_settled(*self.operands()[1], f, c);
  const value sequence = evaluate_settled(*self.operands()[2], f, c);
  const auto count = sequence.size();
  const auto at = [&](std::size_t i) { return sequence.item(from_left ? i : count - 1 - i); };
  std::size_t i = 0;
  if (result.is_nil()) {
    if (count == 0) throw value_error("an empty sequence needs a start value");
    result = at(i++);
  }
  for (; i < count; ++i) {
    value args[2] = {result, at(i)};
    if (!from_left) std::swap(args[0], args[1]);
    result = function(args, c);
  }
  return result;
}

} // namespace

value execute_fold_left(const node& self, frame& f, context& c) { return fold(self, f, c, true); }
value execute_fold_right(const node& self, frame& f, context& c) { return fold(self, f, c, false); }

// f of the coordinates of all elements, one array per axis, as numpy.fromfunction.
value execute_from_function(const node& self, frame& f, context& c) {
  const callee function(*self.operands()[0], f, c);
  const value shape = evaluate_settled(*self.operands()[1], f, c);
  const value type = self.operands().size() > 2 ? evaluate_settled(*self.operands()[2], f, c) : value();
  const call_context call{nullptr, &c.run.services(), 0};
  const value indices = call_primitive("indices", call, {shape, type.is_nil() ? value("float64") : type});
  std::vector<value> args;
  for (std::size_t i = 0, n = indices.size(); i < n; ++i) args.push_back(indices.item(i));
  return function(args, c);
}

value execute_apply(const node& self, frame& f, context& c) {
  const callee function(*self.operands()[0], f, c);
  const value list = evaluate_settled(*self.operands()[1], f, c);
  std::vector<value> args;
  for (std::size_t i = 0, n = list.size(); i < n; ++i) args.push_back(list.item(i));
  return function(args, c);
}

} // namespace treadle::tree
