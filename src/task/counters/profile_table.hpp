#pragma once

#include <treadle/detail/atomic.hpp>
#include <treadle/detail/task_name.hpp>

#include <array>
#include <memory>
#include <string>
#include <string_view>

namespace treadle::detail {

/// What is added up for tasks of one name: fields, and behind them how many tasks took how long.
struct profile_field {
  enum number : unsigned {
    tasks,
    total_ticks,
    inner_ticks, ///< of it, in tasks that were run in place
    staged_ticks,
    pending_ticks,
    first_range
  };
  static constexpr unsigned k_all = first_range + 4 * 48; // up to 6 days

  /// Four ranges for each power of two.
  static constexpr unsigned range_of(std::int64_t ns) noexcept {
    if (ns < 4) return first_range + static_cast<unsigned>(ns < 0 ? 0 : ns);
    const auto log = 63 - static_cast<unsigned>(__builtin_clzll(static_cast<std::uint64_t>(ns)));
    const unsigned range = first_range + 4 * (log - 1) + static_cast<unsigned>((ns >> (log - 2)) & 3);
    return range < k_all ? range : k_all - 1;
  }
  /// Where it begins, and the one before it ends.
  static constexpr std::int64_t lowest_ns(unsigned range) noexcept {
    const unsigned i = range - first_range;
    return i < 4 ? i : std::int64_t{4 + i % 4} << (i / 4 - 1);
  }
};

/// Of tasks of one name: one thread adds, any thread reads.
class profile_entry {
 public:
  explicit profile_entry(std::string_view name) : m_name(name) {}
  std::string_view name() const noexcept { return m_name; }
  void add(unsigned field, std::uint64_t by) noexcept { m_sums[field].increment_unshared(by); }
  std::uint64_t read(unsigned field) const noexcept { return m_sums[field].load(order::relaxed); }

 private:
  const std::string m_name;
  std::array<atomic<std::uint64_t>, profile_field::k_all> m_sums{};
};

/// Those of one thread. Bounded: names that find no room any more share an entry.
class profile_table {
 public:
  profile_table() : m_others(std::make_unique<profile_entry>("(other names)")) {}
  ~profile_table();
  profile_table(const profile_table&) = delete;
  profile_table& operator=(const profile_table&) = delete;

  /// By the thread. The entry stays as long as the table.
  profile_entry& of(task_name name) noexcept { return of(std::string_view(name.text, name.bytes)); }
  profile_entry& of(std::string_view name) noexcept;

  /// Calls f(const profile_entry&). Any thread.
  template <class F>
  void visit(F f) const {
    for (const auto& slot : m_slots)
      if (const profile_entry* const one = slot.load(order::acquire)) f(*one); // pairs with of()
    f(*m_others);
  }

 private:
  static constexpr unsigned k_slots = 256, k_names_max = 192;
  std::array<atomic<profile_entry*>, k_slots> m_slots{};
  unsigned m_names = 0;
  const std::unique_ptr<profile_entry> m_others;
};

} // namespace treadle::detail
