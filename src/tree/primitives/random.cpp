// Random numbers of one run. The streams are those of std::mt19937, not NumPy's.
#include "tree/nodes/primitive.hpp"
#include "tree/run/services.hpp"

#include <algorithm>
#include <numeric>

namespace treadle::tree {
namespace {

template <class Distribution>
value sample(call_context& context, const value& shape, Distribution distribution) {
  return context.services->with_random([&](std::mt19937& engine) -> value {
    using result = typename Distribution::result_type;
    if (shape.is_nil()) return value(distribution(engine));
    auto a = array::uninitialized(dtype_of<result>, to_extents(shape));
    auto* x = a.template mutable_data<result>();
    for (std::int64_t i = 0, n = a.size(); i < n; ++i) x[i] = distribution(engine);
    return detail::from_array(std::move(a));
  });
}

// (shape, distribution): "normal" (default), "uniform", or list(name, parameters...).
value random(call_context& context, std::span<value> args) {
  const auto& spec = argument(args, 1);
  const value name = spec.is_list() ? spec.item(0) : spec.is_nil() ? value("normal") : spec;
  const auto parameter = [&](std::size_t i, double otherwise) {
    return spec.is_list() && i < spec.size() ? spec.item(i).to_float64() : otherwise;
  };
  const auto& shape = argument(args, 0);
  const auto chosen = name.to_string_view();
  if (chosen == "normal") {
    if (parameter(2, 1.0) <= 0.0) throw value_error("a normal distribution needs a positive deviation");
    return sample(context, shape, std::normal_distribution<double>(parameter(1, 0.0), parameter(2, 1.0)));
  }
  if (chosen == "uniform") {
    if (!(parameter(1, 0.0) <= parameter(2, 1.0))) throw value_error("a uniform distribution needs low <= high");
    return sample(context, shape, std::uniform_real_distribution<double>(parameter(1, 0.0), parameter(2, 1.0)));
  }
  throw value_error("unknown distribution " + repr(name) + ": use \"normal\" or \"uniform\"");
}

value uniform(call_context& context, std::span<value> args) {
  return sample(context, argument(args, 0), std::uniform_real_distribution<double>(0.0, 1.0));
}

value normal(call_context& context, std::span<value> args) {
  if (args.empty()) return sample(context, k_nil_value, std::normal_distribution<double>());
  const value shape = args.size() == 1 ? args[0] : value::list({args.begin(), args.end()});
  return sample(context, shape, std::normal_distribution<double>());
}

value integers(call_context& context, std::span<value> args) { // (low, high, shape): low <= x < high, or (high)
  const bool one = argument(args, 1).is_nil();
  const auto low = one ? 0 : args[0].to_int64(), high = one ? args[0].to_int64() : args[1].to_int64();
  if (low >= high) throw value_error("random integers need low < high");
  return sample(context, argument(args, 2), std::uniform_int_distribution<std::int64_t>(low, high - 1));
}

value set_seed(call_context& context, std::span<value> args) {
  context.services->seed(static_cast<std::uint32_t>(args[0].to_int64()));
  return {};
}

value get_seed(call_context& context, std::span<value>) { return context.services->seed(); }

value shuffle(call_context& context, std::span<value> args) { // along the first axis, into a new array
  const auto a = args[0].to_array();
  if (a.rank() == 0) throw value_error("a scalar cannot be shuffled");
  std::vector<std::int64_t> order(static_cast<std::size_t>(a.shape()[0]));
  std::iota(order.begin(), order.end(), std::int64_t(0));
  context.services->with_random([&](std::mt19937& engine) { std::shuffle(order.begin(), order.end(), engine); });
  return call_primitive("slice", context, {a, array::of<std::int64_t>({a.shape()[0]}, order)});
}

} // namespace

std::span<const primitive> random_primitives() {
  static constexpr primitive k_table[] = {
      {"random", "shape=, distribution=", random, effect::ordered},
      {"random_sample", "shape=", uniform, effect::ordered},
      {"random_integers", "low, high=, shape=", integers, effect::ordered},
      {"randn", "...", normal, effect::ordered},
      {"set_seed", "seed", set_seed, effect::ordered},
      {"get_seed", "", get_seed, effect::ordered},
      {"shuffle", "a", shuffle, effect::ordered},
  };
  return k_table;
}

} // namespace treadle::tree
