#pragma once

#include <cstdint>
#include <string_view>

namespace treadle::detail {

/// Fowler, Noll, Vo: the same in all programs and versions, as std::hash is not.
constexpr std::uint64_t fnv1a(std::string_view bytes, std::uint64_t hash = 0xcbf29ce484222325u) noexcept {
  for (const char c : bytes) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return hash;
}

} // namespace treadle::detail
