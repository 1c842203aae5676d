#pragma once

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

 private:
  mutable mutex m_lock;
  entries m_entries;
};

/// A hash map whose entries lie in several localities, by the hashes of their keys. Made by one locality; a copy is a
/// reference to the same entries, and may be sent to others. The entries end with the last copy. Operations return at
/// once; each is atomic for its key.
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
    std::vector<future<std::size_t>> all;
    for (const auto& one : m_segments) all.push_back(async<&segment::size>(one));
    return detail::folded(std::move(all), std::size_t{0}, std::plus<>());
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

  std::vector<remote<segment>> m_segments;
};

} // namespace treadle
