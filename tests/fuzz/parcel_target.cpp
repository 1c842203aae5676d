#include "parcel_target.hpp"

#include "parcel/transport/pieces.hpp"

#include <treadle/localities/archive.hpp>

#include <cereal/types/map.hpp>
#include <cereal/types/memory.hpp>
#include <cereal/types/optional.hpp>
#include <cereal/types/variant.hpp>

#include <algorithm>
#include <complex>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace treadle::fuzz {
namespace {

struct part {
  std::uint32_t version = 0;
  int number = 0;
  std::string text;
  template <class Archive>
  void serialize(Archive& archive, std::uint32_t of) {
    version = of;
    archive(number, text);
  }
};

template <class T>
void try_type(std::span<const std::byte> bytes) {
  T read{};
  try {
    detail::read_value(bytes, read);
  } catch (const archive_error& refused) {
    return;
  } catch (const cereal::Exception& refused) { // an index that no variant has
    return;
  }
  std::vector<std::byte> written, again;
  detail::write_value(written, read);
  std::span<const std::byte> left = written;
  T same{};
  detail::read_value(left, same);
  detail::write_value(again, same);
  if (left.empty() && written == again) return;
  std::fputs("requirement failed: a value reads back as it was\n", stderr);
  std::abort();
}

struct nothing final : detail::message_sink {
  void arrived(unsigned, std::span<const std::byte> message) override { bytes += message.size(); }
  std::size_t bytes = 0;
};

void try_pieces(std::span<const std::byte> bytes) {
  detail::message_joiner joiner;
  nothing sink;
  std::size_t taken = 0;
  while (!bytes.empty()) { // a byte says how long the next piece is
    const std::size_t size = std::min<std::size_t>(static_cast<std::size_t>(bytes[0]), bytes.size() - 1);
    taken += size;
    if (!joiner.take(bytes.subspan(1, size), 0, sink)) break;
    bytes = bytes.subspan(1 + size);
  }
  if (sink.bytes <= taken) return;
  std::fputs("requirement failed: no more bytes arrive than were sent\n", stderr);
  std::abort();
}

} // namespace

void try_parcel(std::string_view text) {
  const auto bytes = std::as_bytes(std::span(text));
  try_type<int>(bytes);
  try_type<std::complex<double>>(bytes);
  try_type<std::string>(bytes);
  try_type<std::vector<double>>(bytes);
  try_type<std::vector<bool>>(bytes);
  try_type<std::vector<std::string>>(bytes);
  try_type<std::map<std::string, std::vector<int>>>(bytes);
  try_type<std::tuple<char, std::optional<std::string>, std::vector<std::pair<int, float>>>>(bytes);
  try_type<std::variant<int, std::string>>(bytes);
  try_type<std::unique_ptr<std::vector<part>>>(bytes);
  try_type<std::vector<part>>(bytes);
  try_pieces(bytes);
}

} // namespace treadle::fuzz

CEREAL_CLASS_VERSION(treadle::fuzz::part, 2)
