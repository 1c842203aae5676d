#pragma once

#include <cereal/cereal.hpp>
#include <cereal/types/array.hpp>
#include <cereal/types/complex.hpp>
#include <cereal/types/string.hpp>
#include <cereal/types/tuple.hpp>
#include <cereal/types/utility.hpp>
#include <cereal/types/vector.hpp>

#include <array>
#include <complex>
#include <cstddef>
#include <cstring>
#include <span>
#include <stdexcept>
#include <type_traits>
#include <vector>

namespace treadle {

/// What arrived is not what was expected: another type, or cut short.
class archive_error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

namespace detail {

/// Its bytes are its value, in all localities of a program.
template <class T>
inline constexpr bool is_bitwise = std::is_arithmetic_v<T> || std::is_enum_v<T>;
template <class T>
inline constexpr bool is_bitwise<std::complex<T>> = std::is_arithmetic_v<T>;
template <class T, std::size_t N>
inline constexpr bool is_bitwise<std::array<T, N>> = is_bitwise<T> && !std::is_same_v<T, bool>;

template <class T>
inline constexpr bool is_bitwise_vector = false;
template <class T>
inline constexpr bool is_bitwise_vector<std::vector<T>> = is_bitwise<T> && !std::is_same_v<T, bool>;

inline void require_bytes(std::span<const std::byte> from, std::size_t size) {
  if (size > from.size()) throw archive_error("an archive ends too early, or is one of another type");
}
/// Before they become values of type T: not all bytes are one.
template <class T>
void require_values(std::span<const std::byte> from) {
  if constexpr (std::is_same_v<T, bool>) {
    for (const std::byte one : from)
      if (one > std::byte{1}) throw archive_error("an archive has a truth value that is neither true nor false");
  }
}

/// The first `size` bytes, as values of type T.
template <class T>
void take_bytes(std::span<const std::byte>& from, void* to, std::size_t size) {
  require_bytes(from, size);
  require_values<T>(from.first(size));
  if (size == 0) return; // of what is empty there may be no address
  std::memcpy(to, from.data(), size);
  from = from.subspan(size);
}
inline void add_bytes(std::vector<std::byte>& to, const void* bytes, std::size_t size) {
  const auto* const begin = static_cast<const std::byte*>(bytes);
  to.insert(to.end(), begin, begin + size);
}

} // namespace detail

/// Turns values into bytes: numbers, enumerations and the types that cereal knows (more of them in <cereal/types/...>),
/// and types with a member `serialize(archive)` of the kind that cereal asks for, with versions of classes.
class output_archive : public cereal::OutputArchive<output_archive, cereal::AllowEmptyClassElision> {
 public:
  explicit output_archive(std::vector<std::byte>& to) : OutputArchive(this), m_to(to) {}
  void write(const void* bytes, std::size_t size) { detail::add_bytes(m_to, bytes, size); }

 private:
  std::vector<std::byte>& m_to;
};

/// And back. Throws archive_error instead of reading beyond the end, also where a size says so.
class input_archive : public cereal::InputArchive<input_archive, cereal::AllowEmptyClassElision> {
 public:
  explicit input_archive(std::span<const std::byte>& from) : InputArchive(this), m_from(from) {}
  /// As values of type T.
  template <class T>
  void read(void* bytes, std::size_t size) {
    detail::take_bytes<T>(m_from, bytes, size);
  }
  void require(std::size_t size) const { detail::require_bytes(m_from, size); }

 private:
  std::span<const std::byte>& m_from; // what is left
};

template <class T>
  requires std::is_arithmetic_v<T>
void CEREAL_SAVE_FUNCTION_NAME(output_archive& archive, const T& value) {
  archive.write(&value, sizeof value);
}
template <class T>
  requires std::is_arithmetic_v<T>
void CEREAL_LOAD_FUNCTION_NAME(input_archive& archive, T& value) {
  archive.template read<T>(&value, sizeof value);
}
template <class T>
void CEREAL_SAVE_FUNCTION_NAME(output_archive& archive, const cereal::BinaryData<T>& data) {
  archive.write(data.data, static_cast<std::size_t>(data.size));
}
template <class T>
void CEREAL_LOAD_FUNCTION_NAME(input_archive& archive, cereal::BinaryData<T>& data) {
  using element = std::remove_cv_t<std::remove_pointer_t<std::remove_cvref_t<T>>>;
  archive.template read<element>(data.data, static_cast<std::size_t>(data.size));
}
template <class Archive, class T>
  requires std::is_same_v<Archive, output_archive> || std::is_same_v<Archive, input_archive>
void CEREAL_SERIALIZE_FUNCTION_NAME(Archive& archive, cereal::NameValuePair<T>& pair) {
  archive(pair.value);
}
template <class T>
void CEREAL_SAVE_FUNCTION_NAME(output_archive& archive, const cereal::SizeTag<T>& tag) {
  const auto size = static_cast<std::uint64_t>(tag.size);
  archive.write(&size, sizeof size);
}
template <class T>
void CEREAL_LOAD_FUNCTION_NAME(input_archive& archive, cereal::SizeTag<T>& tag) {
  std::uint64_t size = 0;
  archive.template read<std::uint64_t>(&size, sizeof size);
  archive.require(size); // no element is smaller than a byte
  tag.size = static_cast<std::decay_t<T>>(size);
}

namespace detail {

/// As an archive of theirs would have them; numbers, and vectors of numbers, without one.
template <class T>
void write_value(std::vector<std::byte>& to, const T& value) {
  if constexpr (is_bitwise<T>) {
    add_bytes(to, &value, sizeof value);
  } else if constexpr (is_bitwise_vector<T>) {
    const std::size_t size = value.size();
    to.reserve(to.size() + sizeof size + size * sizeof(value[0]));
    add_bytes(to, &size, sizeof size);
    add_bytes(to, value.data(), size * sizeof(value[0]));
  } else {
    output_archive archive(to);
    archive(value);
  }
}
template <class T>
void read_value(std::span<const std::byte>& from, T& value) {
  if constexpr (is_bitwise<T>) {
    take_bytes<T>(from, &value, sizeof value);
  } else if constexpr (is_bitwise_vector<T>) {
    using element = typename T::value_type;
    std::size_t size = 0;
    take_bytes<std::size_t>(from, &size, sizeof size);
    require_bytes(from, size); // so that the product cannot overflow
    require_bytes(from, size * sizeof(element));
    if (reinterpret_cast<std::uintptr_t>(from.data()) % alignof(element) == 0) { // without filling it with zeroes first
      const auto* const begin = reinterpret_cast<const element*>(from.data());
      value.assign(begin, begin + size);
      from = from.subspan(size * sizeof(element));
    } else {
      value.resize(size);
      take_bytes<element>(from, value.data(), size * sizeof(element));
    }
  } else {
    input_archive archive(from);
    archive(value);
  }
}

} // namespace detail
} // namespace treadle

CEREAL_REGISTER_ARCHIVE(treadle::output_archive)
CEREAL_REGISTER_ARCHIVE(treadle::input_archive)
CEREAL_SETUP_ARCHIVE_TRAITS(treadle::input_archive, treadle::output_archive)
