#pragma once

#include <treadle/detail/atomic.hpp>
#include <treadle/detail/config.hpp>

#include <charconv>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>
#include <utility>
#include <vector>

namespace treadle {

class session;

namespace detail {
[[noreturn]] void refuse_domain(std::string_view what);
} // namespace detail

/// The values that a knob may have: numbers, booleans or enumerators, at least one and at most a million.
template <class T>
class domain {
  static_assert(std::is_arithmetic_v<T> || std::is_enum_v<T>, "knobs hold numbers, booleans or enumerators");

 public:
  /// `ordered`: values that lie together are expected to do about the same.
  domain(std::vector<T> values, bool ordered) : m_values(std::move(values)), m_ordered(ordered) {
    if (m_values.empty()) detail::refuse_domain("there is no value in it");
    if (m_values.size() > 1'000'000) detail::refuse_domain("there are more than a million values in it");
    bool is_number = true, rises = true; // then none is there twice
    for (std::size_t i = 0; i < m_values.size(); ++i) {
      is_number = is_number && m_values[i] == m_values[i];
      rises = rises && (i == 0 || m_values[i - 1] < m_values[i]);
    }
    if (!is_number || !(rises || std::set<T>(m_values.begin(), m_values.end()).size() == m_values.size()))
      detail::refuse_domain("a value is not a number, or is there twice");
  }
  const std::vector<T>& values() const noexcept { return m_values; }
  bool ordered() const noexcept { return m_ordered; }

 private:
  std::vector<T> m_values;
  bool m_ordered;
};

/// lowest, lowest + step, ... up to highest. Throws std::invalid_argument when that is nothing, or more than a million.
template <class T>
domain<T> steps(T lowest, T highest, T step = T{1}) {
  static_assert(std::is_arithmetic_v<T> && !std::is_same_v<T, bool>);
  constexpr double k_most = 1e6;
  const double count = (static_cast<double>(highest) - static_cast<double>(lowest)) / static_cast<double>(step);
  if (!(step > T{0}) || !(lowest <= highest) || !(count < k_most))
    detail::refuse_domain("steps(" + std::to_string(lowest) + ", " + std::to_string(highest) + ", " +
                          std::to_string(step) + ")");
  std::vector<T> values;
  if constexpr (std::is_floating_point_v<T>) {
    const auto last = static_cast<std::size_t>(count * (1 + 1e-12));
    for (std::size_t i = 0; i <= last; ++i) values.push_back(lowest + static_cast<T>(i) * step);
  } else {
    using distance = std::make_unsigned_t<T>; // which may be more than T holds
    const auto left = [&] {
      return static_cast<distance>(static_cast<distance>(highest) - static_cast<distance>(values.back()));
    };
    values.push_back(lowest);
    while (left() >= static_cast<distance>(step)) values.push_back(static_cast<T>(values.back() + step));
  }
  return {std::move(values), true};
}

/// lowest, 2 lowest, 4 lowest, ... up to highest. Throws std::invalid_argument when that is nothing.
template <class T>
domain<T> powers_of_two(T lowest, T highest) {
  static_assert(std::is_arithmetic_v<T> && !std::is_same_v<T, bool>);
  if (!(lowest > T{0}) || !(lowest <= highest))
    detail::refuse_domain("powers_of_two(" + std::to_string(lowest) + ", " + std::to_string(highest) + ")");
  std::vector<T> values{lowest};
  while (values.back() <= highest / T{2} && values.size() < 2000)
    values.push_back(static_cast<T>(values.back() * T{2}));
  return {std::move(values), true};
}

/// Values without an order. Throws std::invalid_argument when there is none.
template <class T>
domain<T> one_of(std::initializer_list<T> values) {
  return {std::vector<T>(values), false};
}

namespace detail {

class change_listener {
 public:
  virtual ~change_listener() = default;
  virtual void changed() = 0;
};

/// What sessions know of a knob.
class knob_base {
 public:
  knob_base(const knob_base&) = delete;
  knob_base& operator=(const knob_base&) = delete;

  const std::string& name() const noexcept { return m_name; }
  virtual std::uint32_t choices() const noexcept = 0;
  virtual bool ordered() const noexcept = 0;
  virtual std::uint32_t index() const noexcept = 0;
  virtual std::string text(std::uint32_t i) const = 0;
  /// The position of the value that is written so; choices() when there is none.
  virtual std::uint32_t position(std::string_view value) const;
  std::string domain_text() const; ///< "1 to 64, 7 of them"
  void set_index(std::uint32_t i);
  /// Throws std::invalid_argument when no value of the domain is written so.
  void set_text(std::string_view value);
  /// The user has chosen its value, by --treadle:knob or TREADLE_KNOB: sessions leave it alone.
  bool is_given() const noexcept;

  /// One session at a time; gives the name of the one that has it, or null and takes it.
  const std::string* claim(const std::string& session) noexcept;
  std::string claimed_by() const; ///< the name of the session; empty: none
  void release() noexcept;

 protected:
  explicit knob_base(std::string_view name);
  virtual ~knob_base();
  virtual void store(std::uint32_t i) noexcept = 0; // one call at a time
  void add(std::unique_ptr<change_listener> listener);
  /// When it can be read, and before it cannot any more: in the list of all knobs, and with what the user has given.
  void list();
  void unlist() noexcept;
  [[noreturn]] void refuse(const std::string& value) const;

 private:
  std::string m_name;
  struct shared;
  std::unique_ptr<shared> m_shared;
};

} // namespace detail

/// A knob as people see it.
struct knob_report {
  std::string name, value;
  std::string values;  ///< "1 to 64, 7 of them"
  std::string meaning; ///< of those of the runtime
};

/// All knobs that there are, of the runtime ("runtime.loop-chunk-ns") and of the program, by name. Any thread.
std::vector<knob_report> knobs();

/// Sets those of this name. Throws std::invalid_argument when there is none, or, after it has set the others, when one
/// cannot have the value or belongs to a session. None of them may end meanwhile.
void set_knob(std::string_view name, std::string_view value);

/// A value that may be changed while the program runs, by hand or by a session. Reading it is one relaxed load; a
/// change takes effect with the next get(), and orders nothing else.
///
/// Safe to use from all threads; construction and destruction are not, and no session may outlive it.
template <class T>
class knob final : public detail::knob_base {
 public:
  /// Throws std::invalid_argument when the name is empty or begins with "runtime.", or `initial` or what the user has
  /// given is not in the domain.
  knob(std::string_view name, domain<T> values, T initial)
      : knob_base(name), m_domain(std::move(values)), m_index(find(initial)), m_value(m_domain.values()[index()]) {
    list();
  }
  ~knob() override { unlist(); }

  T get() const noexcept { return m_value.load(detail::order::relaxed); }
  operator T() const noexcept { return get(); }
  /// Throws std::invalid_argument when the domain does not have the value. Calls what on_change() was given.
  void set(T value) { set_index(find(value)); }
  /// `f(value)` is called after each change, on the thread that made it, without a lock. One call at a time: what
  /// changes during a call, by it or by another thread, is told next by the one that is telling. set() throws what it
  /// throws first, when all have been told.
  template <class F>
  void on_change(F f) {
    struct listener final : detail::change_listener {
      listener(F g, const knob& k) : function(std::move(g)), source(k) {}
      void changed() override { function(source.get()); }
      F function;
      const knob& source;
    };
    add(std::make_unique<listener>(std::move(f), *this));
  }
  const domain<T>& values() const noexcept { return m_domain; }

  std::uint32_t choices() const noexcept override { return static_cast<std::uint32_t>(m_domain.values().size()); }
  bool ordered() const noexcept override { return m_domain.ordered(); }
  std::uint32_t index() const noexcept override { return m_index.load(detail::order::relaxed); }
  std::string text(std::uint32_t i) const override { return text_of(m_domain.values()[i]); }
  std::uint32_t position(std::string_view value) const override {
    if constexpr (std::is_floating_point_v<T>) {
      T number{};
      const char* const end = value.data() + value.size();
      const auto read = std::from_chars(value.data(), end, number);
      return read.ec == std::errc{} && read.ptr == end ? position_of(number) : choices();
    } else if constexpr (std::is_same_v<T, bool>) {
      if (value == "true" || value == "false") return position_of(value == "true");
    }
    return knob_base::position(value);
  }

 private:
  void store(std::uint32_t i) noexcept override {
    m_index.store(i, detail::order::relaxed);
    m_value.store(m_domain.values()[i], detail::order::relaxed);
  }
  static std::string text_of(T value) {
    if constexpr (std::is_enum_v<T>) {
      return std::to_string(static_cast<std::underlying_type_t<T>>(value));
    } else if constexpr (std::is_floating_point_v<T>) { // what differs must look different, in every locale
      char digits[64];
      return {digits, std::to_chars(digits, digits + sizeof digits, value).ptr};
    } else {
      return std::to_string(value);
    }
  }
  std::uint32_t position_of(T value) const noexcept {
    const auto& all = m_domain.values();
    for (std::size_t i = 0; i < all.size(); ++i)
      if (all[i] == value) return static_cast<std::uint32_t>(i);
    if constexpr (std::is_floating_point_v<T>) { // 0.3 is meant where 0.1 + 2 * 0.1 is
      for (std::size_t i = 0; i < all.size(); ++i) {
        const T difference = all[i] < value ? value - all[i] : all[i] - value, size = value < 0 ? -value : value;
        if (difference <= size * 4 * std::numeric_limits<T>::epsilon()) return static_cast<std::uint32_t>(i);
      }
    }
    return choices();
  }
  std::uint32_t find(T value) const {
    const std::uint32_t i = position_of(value);
    if (i == choices()) refuse(text_of(value));
    return i;
  }

  domain<T> m_domain;
  detail::atomic<std::uint32_t> m_index;
  detail::atomic<T> m_value;
};

} // namespace treadle
