// Arguments that end in a large vector, and results that are one, of which the elements go where they will be as they
// arrive. Part of action.hpp.
#pragma once

#include <treadle/localities/archive.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

namespace treadle::detail {

/// The values of a large parcel, which come in pieces.
class arriving_parcel {
 public:
  virtual ~arriving_parcel() = default;
  /// False: that cannot be one of its pieces.
  [[nodiscard]] virtual bool add(std::span<const std::byte> piece) = 0;
  /// All have come. Of arguments: as action_entry::handle.
  virtual void handle(unsigned from, std::uint64_t reply) = 0;
};
/// Of values that begin so and are `bytes` bytes; what it returns has the first piece. Null: they have to be whole.
using arriving_beginner = std::unique_ptr<arriving_parcel> (*)(std::span<const std::byte> first, std::size_t bytes);

/// Reading one from an archive leaves no trace: it may be thrown away, and read again.
template <class T>
inline constexpr bool is_read_freely = is_bitwise<T>;

/// Values that are read freely, and at the end a vector of which pieces that are multiples of 64 bytes hold whole
/// elements.
template <class Tuple>
inline constexpr bool ends_in_vector = false;
template <class... Ts>
  requires(sizeof...(Ts) != 0)
inline constexpr bool ends_in_vector<std::tuple<Ts...>> = [] {
  using last = std::tuple_element_t<sizeof...(Ts) - 1, std::tuple<Ts...>>;
  if constexpr (is_bitwise_vector<last>) {
    using element = typename last::value_type;
    return (std::size_t{is_read_freely<Ts>} + ...) == sizeof...(Ts) - 1 && 64 % sizeof(element) == 0;
  } else {
    return false;
  }
}();

/// Such values while they arrive: elements go where they will be. Use(values, from, reply) gets them.
template <class Values, auto Use>
class arriving final : public arriving_parcel {
  static constexpr std::size_t k_last = std::tuple_size_v<Values> - 1;
  using element = typename std::tuple_element_t<k_last, Values>::value_type;

 public:
  static std::unique_ptr<arriving_parcel> begin(std::span<const std::byte> first, std::size_t bytes) {
    try {
      auto parcel = std::make_unique<arriving>();
      if (parcel->read(first, bytes)) return parcel;
    } catch (...) { // who has it whole finds that, too, and can say so
    }
    return nullptr;
  }
  bool add(std::span<const std::byte> piece) override {
    if (!fits(piece)) return false;
    auto& to = std::get<k_last>(m_values);
    const std::size_t size = piece.size() / sizeof(element);
    if (reinterpret_cast<std::uintptr_t>(piece.data()) % alignof(element) == 0) {
      const auto* const values = reinterpret_cast<const element*>(piece.data());
      to.insert(to.end(), values, values + size);
    } else if (size != 0) { // the first one, behind arguments of other sizes
      to.resize(to.size() + size);
      std::memcpy(&to.back() + 1 - size, piece.data(), piece.size());
    }
    m_left -= size;
    return true;
  }
  void handle(unsigned from, std::uint64_t reply) override { Use(m_values, from, reply); }

 private:
  static constexpr std::size_t k_trusted = std::size_t{256} << 20U; // bytes

  bool read(std::span<const std::byte> first, std::size_t bytes) {
    const std::size_t before = first.size();
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      (read_value(first, std::get<I>(m_values)), ...);
    }(std::make_index_sequence<k_last>());
    take_bytes<std::size_t>(first, &m_left, sizeof m_left);
    bytes -= before - first.size();
    if (bytes % sizeof(element) != 0 || m_left != bytes / sizeof(element) || !fits(first)) return false;
    std::get<k_last>(m_values).reserve(std::min(m_left, k_trusted / sizeof(element)));
    return add(first);
  }
  bool fits(std::span<const std::byte> piece) const noexcept {
    return piece.size() % sizeof(element) == 0 && piece.size() / sizeof(element) <= m_left;
  }

  Values m_values;
  std::size_t m_left = 0; ///< elements
};

} // namespace treadle::detail
