#pragma once

#include <treadle/algorithm/detail/parallel_range.hpp>

#include <stdexcept>
#include <tuple>

namespace treadle {

namespace detail {

/// A reduction of a for_loop: each part starts with a copy of the identity; results are combined in the order of the
/// iterations and at last with the value that the variable had before.
template <class T, class Op>
struct reducer {
  using state = T;
  T& variable;
  T identity;
  Op op;

  state make() const { return identity; }
  T& at(state& s, std::uint64_t) const noexcept { return s; }
  void append(state& left, state& right) const { left = op(left, right); }
  void finish(state& result, std::uint64_t) const { variable = op(variable, result); }
};

/// An induction variable of a for_loop: value + i * stride in iteration i.
template <class T>
struct inducer {
  struct state {};
  T* live_out; // null: the caller wants no final value
  T value;
  T stride;

  state make() const noexcept { return {}; }
  T at(state&, std::uint64_t i) const { return static_cast<T>(value + static_cast<T>(i) * stride); }
  void append(state&, state&) const noexcept {}
  void finish(state& s, std::uint64_t n) const {
    if (live_out) *live_out = at(s, n);
  }
};

struct loop_plus {
  auto operator()(const auto& a, const auto& b) const { return a + b; }
};
struct loop_multiplies {
  auto operator()(const auto& a, const auto& b) const { return a * b; }
};
struct loop_bit_and {
  auto operator()(const auto& a, const auto& b) const { return a & b; }
};
struct loop_bit_or {
  auto operator()(const auto& a, const auto& b) const { return a | b; }
};
struct loop_bit_xor {
  auto operator()(const auto& a, const auto& b) const { return a ^ b; }
};
struct loop_min {
  auto operator()(const auto& a, const auto& b) const { return b < a ? b : a; }
};
struct loop_max {
  auto operator()(const auto& a, const auto& b) const { return a < b ? b : a; }
};

/// The i-th of the values (or iterators) from `first` in steps of `stride`.
template <class I, class Stride>
constexpr I advanced(I first, std::uint64_t i, Stride stride) {
  if constexpr (std::is_integral_v<I>)
    return static_cast<I>(static_cast<std::uint64_t>(first) + i * static_cast<std::uint64_t>(stride));
  else
    return first + static_cast<std::ptrdiff_t>(i) * static_cast<std::ptrdiff_t>(stride);
}

template <class I>
constexpr std::uint64_t iterations(I first, I last, std::ptrdiff_t stride) {
  if (stride == 0) throw std::invalid_argument("for_loop: a stride of zero never ends");
  if constexpr (std::is_integral_v<I>) {
    if (stride > 0 ? !(first < last) : !(last < first)) return 0;
  } else {
    if (stride > 0 ? last - first <= 0 : last - first >= 0) return 0;
  }
  const std::uint64_t step = stride > 0 ? static_cast<std::uint64_t>(stride) : 0 - static_cast<std::uint64_t>(stride);
  std::uint64_t distance = 0;
  if constexpr (std::is_integral_v<I>)
    distance = stride > 0 ? static_cast<std::uint64_t>(last) - static_cast<std::uint64_t>(first)
                          : static_cast<std::uint64_t>(first) - static_cast<std::uint64_t>(last);
  else
    distance = static_cast<std::uint64_t>(stride > 0 ? last - first : first - last);
  return (distance - 1) / step + 1;
}

struct for_loop_algorithm {
  static constexpr bool makes_tasks_of_executor = true;

  template <class Policy, class I, class Stride, class F>
  void operator()(const Policy& policy, I first, I last, Stride stride, F& f) const {
    const auto function = loop_function<I>(f);
    for_ranges(policy, iterations(first, last, stride), [=](std::uint64_t begin, std::uint64_t end) {
      for (std::uint64_t i = begin; i != end; ++i) function(advanced(first, i, stride));
    });
  }

  /// With reductions and inductions; the function comes last.
  template <class Policy, class I, class Stride, class... Args>
    requires(sizeof...(Args) > 1)
  void operator()(const Policy& policy, I first, I last, Stride stride, Args&... arguments) const {
    auto all = std::tie(arguments...);
    with_arguments(policy, first, stride, iterations(first, last, stride), all,
                   std::make_index_sequence<sizeof...(Args) - 1>{});
  }

 private:
  template <class Policy, class I, class Stride, class All, std::size_t... K>
  static void with_arguments(const Policy& policy, I first, Stride stride, std::uint64_t n, All& all,
                             std::index_sequence<K...>) {
    using state_type = std::tuple<typename std::remove_reference_t<std::tuple_element_t<K, All>>::state...>;
    auto& f = std::get<sizeof...(K)>(all);
    const auto make = [&] { return state_type(std::get<K>(all).make()...); };
    state_type result = make();
    fold_ranges(
        policy, n, result,
        [&](state_type& state, std::uint64_t begin, std::uint64_t end) {
          for (std::uint64_t i = begin; i != end; ++i) {
            f(advanced(first, i, stride), std::get<K>(all).at(std::get<K>(state), i)...);
          }
        },
        make,
        [&](state_type& left, state_type& right) {
          (std::get<K>(all).append(std::get<K>(left), std::get<K>(right)), ...);
        });
    (std::get<K>(all).finish(std::get<K>(result), n), ...);
  }
};

} // namespace detail

/// Combines what all iterations contribute, by an associative `op` with this identity, into `variable`, which keeps its
/// place in the result: variable = op(variable, all). The loop body gets a T& of its own part of the iterations.
template <class T, class Op>
detail::reducer<T, Op> reduction(T& variable, const std::type_identity_t<T>& identity, Op op) {
  return {variable, identity, op};
}
template <class T>
auto reduction_plus(T& variable) {
  return treadle::reduction(variable, T{}, detail::loop_plus{});
}
template <class T>
auto reduction_multiplies(T& variable) {
  return treadle::reduction(variable, T{1}, detail::loop_multiplies{});
}
template <class T>
auto reduction_bit_and(T& variable) {
  return treadle::reduction(variable, static_cast<T>(~T{}), detail::loop_bit_and{});
}
template <class T>
auto reduction_bit_or(T& variable) {
  return treadle::reduction(variable, T{}, detail::loop_bit_or{});
}
template <class T>
auto reduction_bit_xor(T& variable) {
  return treadle::reduction(variable, T{}, detail::loop_bit_xor{});
}
template <class T>
auto reduction_min(T& variable) {
  return treadle::reduction(variable, variable, detail::loop_min{});
}
template <class T>
auto reduction_max(T& variable) {
  return treadle::reduction(variable, variable, detail::loop_max{});
}

/// A variable that grows by `stride` with every iteration. The loop body gets its value. Given an lvalue, it holds
/// value + n * stride after the loop.
template <class T>
detail::inducer<T> induction(T& live_out, std::type_identity_t<T> stride = T{1}) {
  return {&live_out, live_out, stride};
}
template <class T>
  requires(!std::is_lvalue_reference_v<T>)
detail::inducer<T> induction(T&& value, std::type_identity_t<T> stride = T{1}) {
  return {nullptr, value, stride};
}

/// Calls f(i) for all i in [first, last), integers or random-access iterators; with reductions and inductions between
/// `last` and the function, f(i, reduction&..., induction value...) in their order.
///
///     double sum = 0;
///     treadle::for_loop(treadle::par, 0, n, treadle::reduction_plus(sum), [&](int i, double& s) { s += x[i] * y[i];
///     });
///
/// Blocks until all iterations are done (par(task): returns a future; what f refers to must live until then). A loop
/// that is known to be too small to share, some microseconds, runs as a plain loop. No iteration may wait for another
/// one. The first exception in the order of the iterations is rethrown: those before it have been executed, later ones
/// perhaps, and reductions are unchanged.
template <any_execution_policy Policy, class I, class... Args>
auto for_loop(const Policy& policy, I first, std::type_identity_t<I> last, Args&&... arguments) {
  return detail::run_algorithm(policy, detail::for_loop_algorithm{}, first, last,
                               std::integral_constant<std::ptrdiff_t, 1>(), std::forward<Args>(arguments)...);
}

/// The same for first, first + stride, ... before `last`; the stride may be negative. Throws std::invalid_argument when
/// it is zero.
template <any_execution_policy Policy, class I, class... Args>
auto for_loop_strided(const Policy& policy, I first, std::type_identity_t<I> last, std::ptrdiff_t stride,
                      Args&&... arguments) {
  return detail::run_algorithm(policy, detail::for_loop_algorithm{}, first, last, stride,
                               std::forward<Args>(arguments)...);
}

} // namespace treadle
