#pragma once

#include <treadle/algorithm/for_loop.hpp>
#include <treadle/localities/object.hpp>
#include <treadle/mutex.hpp>

#include <cereal/types/optional.hpp>
#include <cereal/types/unordered_map.hpp>

#include <cstddef>
#include <functional>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <unordered_map>
#include <utility>
#include <vector>

namespace treadle {

/// The entries of a partitioned_map that lie in one locality. Any number of tasks at a time.
template <class Key, class T, class Hash>
class map_segment {
 public:
  using entries = std::unordered_map<Key, T, Hash>;

  std::optional<T> find(const Key& key) const {
    const std::lock_guard guard(m_lock);
    const auto at = m_entries.find(key);
    return at == m_entries.end() ? std::nullopt : std::optional<T>(at->second);
  }
  bool insert_or_assign(Key key, T value) {
    const std::lock_guard guard(m_lock);
    return m_entries.insert_or_assign(std::move(key), std::move(value)).second;
  }
  bool erase(const Key& key) {
    const std::lock_guard guard(m_lock);
    return m_entries.erase(key) != 0;
  }
  /// F(value, args...) of the entry, which begins as T(): nobody else reads or writes it meanwhile. F must not wait for
  /// an operation on the same map. What it throws leaves no new entry.
  template <auto F, class... Args>
  void update(Key key, Args... args) {
    const std::lock_guard guard(m_lock);
    const auto [at, is_new] = m_entries.try_emplace(std::move(key));
    try {
      F(at->second, std::move(args)...);
    } catch (...) {
      if (is_new) m_entries.erase(at);
      throw;
    }
  }
  std::size_t size() const {
    const std::lock_guard guard(m_lock);
    return m_entries.size();
  }
  entries copy() const {
    const std::lock_guard guard(m_lock);
    return m_entries;
  }
  void clear() {
    const std::lock_guard guard(m_lock);
    m_entries.clear();
  }
  /// F(key, value, args...) for each entry, in parallel; nobody else reads or writes entries of this segment meanwhile.
  template <auto F, class... Args>
  void for_each(Args... args) {
    const std::lock_guard guard(m_lock);
    for_loop(par, std::size_t{0}, m_entries.bucket_count(), [&](std::size_t bucket) {
      for (auto one = m_entries.begin(bucket); one != m_entries.end(bucket); ++one)
        F(one->first, one->second, std::as_const(args)...);
    });
  }
  /// Op over Map(key, value) of all entries, in any order.
  template <auto Map, auto Op, class R>
  R reduce(R identity) const {
    const std::lock_guard guard(m_lock);
    R result = identity;
    for_loop(par, std::size_t{0}, m_entries.bucket_count(),
             reduction(result, identity, [](const R& a, const R& b) { return Op(a, b); }),
             [&](std::size_t bucket, R& part) {
               for (auto one = m_entries.begin(bucket); one != m_entries.end(bucket); ++one)
                 part = Op(part, Map(one->first, one->second));
             });
    return result;
  }
  /// Erases the entries for which F(key, value, args...) is true, and says how many; none where F throws.
  template <auto F, class... Args>
  std::size_t erase_if(Args... args) {
    const std::lock_guard guard(m_lock);
    std::vector<std::vector<const Key*>> found(m_entries.bucket_count());
    for_loop(par, std::size_t{0}, found.size(), [&](std::size_t bucket) {
      for (auto one = m_entries.cbegin(bucket); one != m_entries.cend(bucket); ++one)
        if (F(one->first, one->second, std::as_const(args)...)) found[bucket].push_back(&one->first);
    });
    std::size_t erased = 0;
    for (const auto& in_bucket : found)
      for (const Key* const key : in_bucket) {
        m_entries.erase(m_entries.find(*key));
        ++erased;
      }
    return erased;
  }

 private:
  mutable mutex m_lock;
  entries m_entries;
};

/// A hash map whose entries lie in several localities, by the hashes of their keys. Made by one locality; a copy is a
/// reference to the same entries, and may be sent to others. The entries end with the last copy. Operations return at
/// once; each is atomic for its key. Those over all entries go to all segments at the same time, a message to each and
/// one back; each segment does its part at one moment, and all of them at no common one. What a function throws is the
/// future's exception, the first in the order of the segments.
template <class Key, class T, class Hash = std::hash<Key>>
class partitioned_map {
 public:
  using segment = map_segment<Key, T, Hash>;

  partitioned_map() = default;
  /// `over`: where the entries are. Waits until all is made.
  explicit partitioned_map(const std::vector<locality>& over) {
    if (over.empty()) throw std::invalid_argument("a partitioned map over no locality");
    m_segments = make_remotes<segment>(over).get();
  }

  [[nodiscard]] future<std::optional<T>> find(const Key& key) const { return async<&segment::find>(at(key), key); }
  /// True: there was none before.
  [[nodiscard]] future<bool> insert_or_assign(const Key& key, const T& value) const {
    return async<&segment::insert_or_assign>(at(key), key, value);
  }
  /// False: there was none.
  [[nodiscard]] future<bool> erase(const Key& key) const { return async<&segment::erase>(at(key), key); }
  /// Calls F(value, args...) where the entry is, which begins as T(), and with it a lock: F must not wait for an
  /// operation on the same map. What F throws leaves no new entry.
  template <auto F, class... Args>
  [[nodiscard]] future<void> update(const Key& key, const Args&... args) const {
    return async<&segment::template update<F, detail::as_sent<const Args&>...>>(at(key), key, args...);
  }
  [[nodiscard]] future<std::size_t> size() const {
    return detail::folded(call_all([](const auto& one) { return async<&segment::size>(one); }), std::size_t{0},
                          std::plus<>());
  }
  /// All entries, in this locality.
  [[nodiscard]] future<typename segment::entries> copy() const {
    return detail::folded(call_all([](const auto& one) { return async<&segment::copy>(one); }),
                          typename segment::entries(), [](auto all, auto part) {
                            all.merge(part);
                            return all;
                          });
  }
  [[nodiscard]] future<void> clear() const {
    return detail::all_done(call_all([](const auto& one) { return async<&segment::clear>(one); }));
  }
  /// F(key, value, args...) for each entry where it is, in parallel; F may write the value, and must not wait for an
  /// operation on the same map.
  template <auto F, class... Args>
  [[nodiscard]] future<void> for_each(const Args&... args) const {
    return detail::all_done(call_all([&](const auto& one) {
      return async<&segment::template for_each<F, detail::as_sent<const Args&>...>>(one, args...);
    }));
  }
  /// Op over Map(key, value) of all entries, in any order: Op has this identity, is associative and commutes. Neither
  /// may wait for an operation on the same map.
  template <auto Map, auto Op, class R>
  [[nodiscard]] future<R> reduce(R identity) const {
    return detail::folded(
        call_all([&](const auto& one) { return async<&segment::template reduce<Map, Op, R>>(one, identity); }),
        identity, [](R a, R b) { return Op(a, b); });
  }
  /// Erases the entries for which F(key, value, args...) is true, and says how many. F must not wait for an operation
  /// on the same map; a segment where it throws keeps all of its entries.
  template <auto F, class... Args>
  [[nodiscard]] future<std::size_t> erase_if(const Args&... args) const {
    return detail::folded(call_all([&](const auto& one) {
                            return async<&segment::template erase_if<F, detail::as_sent<const Args&>...>>(one, args...);
                          }),
                          std::size_t{0}, std::plus<>());
  }
  const std::vector<remote<segment>>& segments() const noexcept { return m_segments; }

  template <class Archive>
  void serialize(Archive& archive) {
    archive(m_segments);
  }

 private:
  /// Other bits of the hash than those by which a segment finds its entries.
  const remote<segment>& at(const Key& key) const {
    if (m_segments.empty()) throw std::logic_error("a partitioned map that was never made");
    constexpr std::uint64_t k_golden = 0x9E3779B97F4A7C15U;
    const std::uint64_t mixed = static_cast<std::uint64_t>(Hash()(key)) * k_golden;
    return m_segments[static_cast<std::size_t>((mixed >> 32U) * m_segments.size() >> 32U)];
  }

  template <class Call>
  auto call_all(Call call) const {
    std::vector<decltype(call(m_segments.front()))> all;
    for (const auto& one : m_segments) all.push_back(call(one));
    return all;
  }

  std::vector<remote<segment>> m_segments;
};

} // namespace treadle
