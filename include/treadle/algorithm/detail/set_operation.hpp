#pragma once

#include <treadle/algorithm/detail/parallel_merge.hpp>

#include <optional>

namespace treadle::detail {

/// Two pieces of sorted ranges, cut so that equal elements are in the same pair of pieces.
template <class A, class B>
struct piece_pair {
  A a, a_end;
  B b, b_end;

  std::ptrdiff_t size() const noexcept { return (a_end - a) + (b_end - b); }

  /// Cuts before the elements equal to the middle one of the longer range, or behind them if nothing is before them. A
  /// part is empty only when all elements are equal.
  template <class Compare>
  std::pair<piece_pair, piece_pair> halves(Compare& compare) const {
    if (a_end - a > b_end - b) return halves_by(a[(a_end - a) / 2], compare);
    return halves_by(b[(b_end - b) / 2], compare);
  }

 private:
  template <class Key, class Compare>
  std::pair<piece_pair, piece_pair> halves_by(const Key& key, Compare& compare) const {
    const auto less = [&](const auto& x, const auto& y) { return compare(x, y); };
    A a_cut = std::lower_bound(a, a_end, key, less);
    B b_cut = std::lower_bound(b, b_end, key, less);
    if (a_cut == a && b_cut == b) {
      a_cut = std::upper_bound(a, a_end, key, less);
      b_cut = std::upper_bound(b, b_end, key, less);
    }
    return {{a, a_cut, b, b_cut}, {a_cut, a_end, b_cut, b_end}};
  }
};

/// Results that are constructed one after the other in memory of their own.
template <class T>
class result_buffer {
 public:
  explicit result_buffer(std::ptrdiff_t capacity) : m_memory(capacity) {}
  result_buffer(const result_buffer&) = delete;
  result_buffer& operator=(const result_buffer&) = delete;
  ~result_buffer() { std::destroy(begin(), end()); }

  template <class Element>
  void push_back(Element&& element) {
    std::construct_at(end(), std::forward<Element>(element));
    ++m_size;
  }
  T* begin() const noexcept { return m_memory.data(); }
  T* end() const noexcept { return m_memory.data() + m_size; }

  /// The output iterator.
  struct appender {
    using difference_type = std::ptrdiff_t;
    using value_type = void;
    using pointer = void;
    using reference = void;
    using iterator_category = std::output_iterator_tag;
    result_buffer* buffer;

    template <class Element>
    appender& operator=(Element&& element) {
      buffer->push_back(std::forward<Element>(element));
      return *this;
    }
    appender& operator*() noexcept { return *this; }
    appender& operator++() noexcept { return *this; }
    appender& operator++(int) noexcept { return *this; }
  };

 private:
  raw_memory<T> m_memory;
  std::ptrdiff_t m_size = 0;
};

/// A set operation on sorted ranges: one pass, as in the standard library, unless others help. Where output goes is
/// known only when what precedes it is done; so the second of two pieces writes behind the first when it runs after it,
/// and into a buffer when another worker has taken it meanwhile.
template <class Operation, class T, class Compare>
class parallel_set_operation {
 public:
  explicit parallel_set_operation(Compare& compare) noexcept : m_compare(compare) {}

  /// The end of the output.
  template <class A, class B, class Out>
  Out run(const piece_pair<A, B>& pieces, Out out) {
    if (pieces.size() <= k_merge_grain) return serially(pieces, out);
    const auto halves = pieces.halves(m_compare);
    if (halves.first.size() == 0 || halves.second.size() == 0) return serially(pieces, out);
    Out first_end = out, second_end = out;
    atomic<bool> first_done{false};
    std::optional<result_buffer<T>> later;
    treadle::parallel_invoke(
        [&] {
          first_end = run(halves.first, out);
          first_done.store(true, order::release);
        },
        [&] {
          if (first_done.load(order::acquire)) { // pairs with the store above, for first_end
            second_end = run(halves.second, first_end);
          } else {
            later.emplace(Operation::results_max(halves.second));
            run(halves.second, typename result_buffer<T>::appender{&*later});
          }
        });
    return later ? append(*later, first_end) : second_end;
  }

 private:
  template <class A, class B, class Out>
  Out serially(const piece_pair<A, B>& pieces, Out out) {
    return Operation()(pieces.a, pieces.a_end, pieces.b, pieces.b_end, out, m_compare);
  }

  template <class Out>
  static Out append(const result_buffer<T>& results, Out out) {
    if constexpr (std::random_access_iterator<Out>) {
      const std::ptrdiff_t size = results.end() - results.begin();
      for_ranges(par.with(dynamic_chunk_size{k_merge_grain}), static_cast<std::uint64_t>(size),
                 [&](std::uint64_t begin, std::uint64_t end) {
                   std::move(results.begin() + begin, results.begin() + end, out + static_cast<std::ptrdiff_t>(begin));
                 });
      return out + size;
    } else {
      return std::move(results.begin(), results.end(), out);
    }
  }

  Compare& m_compare;
};

template <class Operation>
struct set_algorithm {
  template <class Policy, class A, class B, class Out, class Compare>
  Out operator()(const Policy& policy, A a, A a_end, B b, B b_end, Out out, Compare& compare) const {
    auto&& less = stoppable_order(policy, compare);
    if constexpr (Policy::is_parallel && std::random_access_iterator<A> && std::random_access_iterator<B> &&
                  std::random_access_iterator<Out>) {
      using value_type = std::iter_value_t<Out>;
      if constexpr (has_real_elements<Out> && std::constructible_from<value_type, std::iter_reference_t<A>> &&
                    std::constructible_from<value_type, std::iter_reference_t<B>>) {
        if ((a_end - a) + (b_end - b) > k_merge_grain) {
          const piece_pair pieces{to_plain(a), to_plain(a_end), to_plain(b), to_plain(b_end)};
          auto end = to_plain(out);
          using order_type = std::remove_reference_t<decltype(less)>;
          call_on_worker(
              [&] { end = parallel_set_operation<Operation, value_type, order_type>(less).run(pieces, end); });
          return out + (end - to_plain(out));
        }
      }
    }
    return Operation()(a, a_end, b, b_end, out, less);
  }
};

} // namespace treadle::detail
