#pragma once

#include <treadle/localities/action.hpp>

#include <cstddef>
#include <functional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

/// What localities do together, as futures.
namespace treadle {

namespace detail {

/// Bytes that one locality has for another one, by a key that both know.
void deposit(locality to, const std::string& key, std::vector<std::byte> bytes);
/// What `from` has deposited here under this key, once.
future<std::vector<std::byte>> take_deposit(locality from, const std::string& key);

} // namespace detail

/// Some localities in an order, their ranks. All members make one with the same name and members, and begin the same
/// operations with it in the same order; then each operation of one belongs to those of the others. An operation
/// returns at once; its future waits for those whose values it needs. One thread or task at a time begins operations.
class communicator {
 public:
  /// Throws std::invalid_argument when this locality is no member, or one is a member twice.
  explicit communicator(std::string name, std::vector<locality> members = find_all_localities())
      : m_name(std::move(name)), m_members(std::move(members)), m_rank(size()) {
    for (unsigned i = 0; i < size(); ++i) {
      for (unsigned j = 0; j < i; ++j)
        if (m_members[i] == m_members[j])
          throw std::invalid_argument("communicator " + m_name + ": a member is there twice");
      if (m_members[i] == find_here()) m_rank = i;
    }
    if (m_rank == size()) throw std::invalid_argument("communicator " + m_name + ": this locality is no member");
  }

  unsigned size() const noexcept { return static_cast<unsigned>(m_members.size()); }
  unsigned rank() const noexcept { return m_rank; }
  locality member(unsigned of_rank) const { return m_members.at(of_rank); }

  /// One operation, as its messages see it. For those who write operations of their own.
  class operation {
   public:
    explicit operation(communicator& all)
        : m_members(all.m_members), m_rank(all.m_rank), m_key(all.m_name + '#' + std::to_string(all.m_begun++)) {}
    unsigned size() const noexcept { return static_cast<unsigned>(m_members.size()); }
    unsigned rank() const noexcept { return m_rank; }
    template <class T>
    void send(unsigned to, const T& value) const {
      std::vector<std::byte> bytes;
      detail::write_value(bytes, value);
      detail::deposit(m_members.at(to), m_key, std::move(bytes));
    }
    /// Suspends the task until it is there.
    template <class T>
    T receive(unsigned from) const {
      const std::vector<std::byte> bytes = detail::take_deposit(m_members.at(from), m_key).get();
      std::span<const std::byte> left = bytes;
      T value{};
      detail::read_value(left, value);
      return value;
    }

   private:
    std::vector<locality> m_members;
    unsigned m_rank;
    std::string m_key;
  };

 private:
  std::string m_name;
  std::vector<locality> m_members;
  unsigned m_rank;
  std::uint64_t m_begun = 0;
};

namespace detail {

/// Along a binomial tree whose root is `root`: O(log n) messages one after the other.
template <class T>
T broadcast_in(const communicator::operation& all, T value, unsigned root) {
  const unsigned n = all.size(), own = (all.rank() + n - root) % n;
  const auto rank_of = [&](unsigned relative) { return (relative + root) % n; };
  unsigned step = 1;
  while (step < n && (own & step) == 0) step *= 2;
  if (own != 0) value = all.template receive<T>(rank_of(own - step));
  for (step /= 2; step > 0; step /= 2)
    if (own + step < n) all.send(rank_of(own + step), value);
  return value;
}
/// The values of all ranks in their order, at rank 0; elsewhere a part of it.
template <class T, class Op>
T reduce_in(const communicator::operation& all, T value, Op op) {
  for (unsigned step = 1; step < all.size(); step *= 2) {
    if ((all.rank() & step) != 0) {
      all.send(all.rank() - step, value);
      break;
    }
    if (all.rank() + step < all.size()) value = op(std::move(value), all.template receive<T>(all.rank() + step));
  }
  return value;
}

inline void check_root(const communicator& all, unsigned root) {
  if (root >= all.size())
    throw std::out_of_range("a communicator of " + std::to_string(all.size()) + " has no rank " + std::to_string(root));
}

} // namespace detail

/// The value of `root`, at all ranks. O(log n) messages one after the other.
template <class T>
future<T> broadcast(communicator& all, T value, unsigned root = 0) {
  detail::check_root(all, root);
  return async([op = communicator::operation(all), value = std::move(value), root]() mutable {
    return detail::broadcast_in(op, std::move(value), root);
  });
}

/// op over the values of all ranks in their order, at `root`; T{} elsewhere. `op` has to be associative, and need not
/// commute.
template <class T, class Op = std::plus<>>
future<T> reduce(communicator& all, T value, Op op = {}, unsigned root = 0) {
  detail::check_root(all, root);
  return async([run = communicator::operation(all), value = std::move(value), op, root]() mutable {
    T result = detail::reduce_in(run, std::move(value), op);
    if (root == 0) return run.rank() == 0 ? result : T{};
    if (run.rank() == 0) run.send(root, result);
    return run.rank() == root ? run.template receive<T>(0) : T{};
  });
}
/// The same at all ranks.
template <class T, class Op = std::plus<>>
future<T> all_reduce(communicator& all, T value, Op op = {}) {
  communicator::operation down(all), up(all);
  return async([down = std::move(down), up = std::move(up), value = std::move(value), op]() mutable {
    return detail::broadcast_in(up, detail::reduce_in(down, std::move(value), op), 0);
  });
}

/// Ready when all ranks have begun it.
inline future<void> barrier(communicator& all) {
  communicator::operation down(all), up(all);
  return async([down = std::move(down), up = std::move(up)] {
    const auto either = [](char a, char b) { return static_cast<char>(a | b); };
    static_cast<void>(detail::broadcast_in(up, detail::reduce_in(down, char{1}, either), 0));
  });
}

/// The values of all ranks in their order, at `root`; none elsewhere.
template <class T>
future<std::vector<T>> gather(communicator& all, T value, unsigned root = 0) {
  detail::check_root(all, root);
  return async([op = communicator::operation(all), value = std::move(value), root]() mutable {
    std::vector<T> values;
    if (op.rank() != root) {
      op.send(root, value);
      return values;
    }
    for (unsigned i = 0; i < op.size(); ++i) values.push_back(i == root ? std::move(value) : op.template receive<T>(i));
    return values;
  });
}
/// The same at all ranks.
template <class T>
future<std::vector<T>> all_gather(communicator& all, T value) {
  return async([op = communicator::operation(all), value = std::move(value)]() mutable {
    for (unsigned i = 0; i < op.size(); ++i)
      if (i != op.rank()) op.send(i, value);
    std::vector<T> values;
    for (unsigned i = 0; i < op.size(); ++i)
      values.push_back(i == op.rank() ? std::move(value) : op.template receive<T>(i));
    return values;
  });
}

/// The i-th of root's values, at rank i. Throws std::invalid_argument at root where these are not as many as ranks.
template <class T>
future<T> scatter(communicator& all, std::vector<T> values, unsigned root = 0) {
  detail::check_root(all, root);
  if (all.rank() == root && values.size() != all.size())
    throw std::invalid_argument("scatter: " + std::to_string(values.size()) + " values for " +
                                std::to_string(all.size()) + " ranks");
  return async([op = communicator::operation(all), values = std::move(values), root]() mutable {
    if (op.rank() != root) return op.template receive<T>(root);
    for (unsigned i = 0; i < op.size(); ++i)
      if (i != root) op.send(i, values[i]);
    return std::move(values[root]);
  });
}

/// The i-th of each rank's values, in the order of ranks, at rank i. Throws std::invalid_argument where a rank has
/// others than as many as ranks.
template <class T>
future<std::vector<T>> all_to_all(communicator& all, std::vector<T> values) {
  if (values.size() != all.size())
    throw std::invalid_argument("all_to_all: " + std::to_string(values.size()) + " values for " +
                                std::to_string(all.size()) + " ranks");
  return async([op = communicator::operation(all), values = std::move(values)]() mutable {
    for (unsigned i = 0; i < op.size(); ++i)
      if (i != op.rank()) op.send(i, values[i]);
    std::vector<T> got;
    for (unsigned i = 0; i < op.size(); ++i)
      got.push_back(i == op.rank() ? std::move(values[i]) : op.template receive<T>(i));
    return got;
  });
}

/// op over the values of ranks 0 to the caller's, its own included. O(n) messages one after the other.
template <class T, class Op = std::plus<>>
future<T> inclusive_scan(communicator& all, T value, Op op = {}) {
  return async([run = communicator::operation(all), value = std::move(value), op]() mutable {
    if (run.rank() != 0) value = op(run.template receive<T>(run.rank() - 1), std::move(value));
    if (run.rank() + 1 < run.size()) run.send(run.rank() + 1, value);
    return value;
  });
}
/// The same without its own, with `first` before all of them.
template <class T, class Op = std::plus<>>
future<T> exclusive_scan(communicator& all, T value, T first, Op op = {}) {
  return async([run = communicator::operation(all), value = std::move(value), first = std::move(first), op]() mutable {
    T before = run.rank() == 0 ? std::move(first) : run.template receive<T>(run.rank() - 1);
    if (run.rank() + 1 < run.size()) run.send(run.rank() + 1, op(before, std::move(value)));
    return before;
  });
}

} // namespace treadle
