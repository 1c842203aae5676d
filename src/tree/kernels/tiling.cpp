#include "tree/kernels/tiling.hpp"

#include <treadle/detail/spinlock.hpp>

#include <algorithm>
#include <cstring>
#include <deque>
#include <map>
#include <tuple>

namespace treadle::tree {
namespace {

struct all_tiles {
  struct less {
    static auto key(const named_tile& t) {
      const auto numbers = [](const extents& e) { return std::vector<std::int64_t>(e.begin(), e.end()); };
      return std::tuple(t.name, numbers(t.where.start), numbers(t.where.shape));
    }
    bool operator()(const named_tile& a, const named_tile& b) const { return key(a) < key(b); }
  };
  detail::spinlock lock;
  std::map<named_tile, std::uint32_t, less> numbers;
  std::deque<const named_tile*> tiles; // of number 1 and so on; they stay where they are

  static all_tiles& get() {
    static auto& all = *new all_tiles;
    return all;
  }
};

bool is_empty(const tile& t) {
  return std::any_of(t.shape.begin(), t.shape.end(), [](auto length) { return length == 0; });
}

bool overlap(const tile& a, const tile& b) {
  if (is_empty(a) || is_empty(b)) return false;
  for (std::size_t i = 0; i < a.shape.rank(); ++i)
    if (a.stop(i) <= b.start[i] || b.stop(i) <= a.start[i]) return false;
  return true;
}

std::string text_of(const tile& t) {
  std::string text;
  for (std::size_t i = 0; i < t.shape.rank(); ++i)
    text += (i ? ", " : "[") + std::to_string(t.start[i]) + ":" + std::to_string(t.stop(i));
  return text + "]";
}

// Of an axis of that length, cut into `count` parts.
std::pair<std::int64_t, std::int64_t> range_of(std::int64_t length, std::int64_t index, std::int64_t count) {
  const auto each = length / count, rest = length % count;
  return {index * each + std::min(index, rest), each + (index < rest ? 1 : 0)};
}

// Between a whole array and a part that lies row by row.
template <class Copy>
void visit_rows(const extents& whole, const tile& part, const Copy& copy) {
  const auto rank = whole.rank();
  if (rank == 0) return copy(0, 0, 1);
  const auto row = part.shape[rank - 1];
  if (row == 0) return;
  for (std::int64_t r = 0, rows = part.shape.product() / row; r < rows; ++r) {
    std::int64_t left = r, offset = part.start[rank - 1], step = whole[rank - 1];
    for (std::size_t axis = rank - 1; axis-- > 0;) {
      offset += (part.start[axis] + left % part.shape[axis]) * step;
      left /= part.shape[axis];
      step *= whole[axis];
    }
    copy(offset, r * row, row);
  }
}

} // namespace

std::uint32_t number_of(const named_tile& t) {
  constexpr std::size_t k_most = 1'000'000;
  auto& all = all_tiles::get();
  const detail::scoped_lock guard(all.lock);
  const auto [found, is_new] = all.numbers.try_emplace(t, static_cast<std::uint32_t>(all.tiles.size() + 1));
  if (is_new) {
    if (all.tiles.size() == k_most) {
      all.numbers.erase(found);
      throw value_error("more than a million different tiles");
    }
    all.tiles.push_back(&found->first);
  }
  return found->second;
}

const named_tile& tile_of_number(std::uint32_t number) {
  auto& all = all_tiles::get();
  const detail::scoped_lock guard(all.lock);
  return *all.tiles.at(number - 1);
}

tile whole_of(const extents& shape) {
  tile t{{}, shape};
  for (std::size_t i = 0; i < shape.rank(); ++i) t.start.push_back(0);
  return t;
}

tile part_of(const extents& shape, std::int64_t index, std::int64_t count, std::string_view kind) {
  if (count < 1 || index < 0 || index >= count)
    throw value_error("there is no tile " + std::to_string(index) + " of " + std::to_string(count));
  tile t = whole_of(shape);
  const auto cut = [&](std::size_t axis, std::int64_t at, std::int64_t parts) {
    std::tie(t.start[axis], t.shape[axis]) = range_of(shape[axis], at, parts);
  };
  const auto rank = shape.rank();
  if (rank == 0) throw value_error("a number has no tiles");
  if (kind == "row") {
    cut(rank > 2 ? rank - 2 : 0, index, count);
  } else if (kind == "column") {
    cut(rank - 1, index, count);
  } else if (kind == "sym") {
    if (rank != 2) throw value_error("tiles of kind \"sym\" are of matrices");
    std::int64_t rows = 1;
    for (std::int64_t r = 1; r * r <= count; ++r)
      if (count % r == 0) rows = r;
    const auto columns = count / rows;
    cut(0, index / columns, rows);
    cut(1, index % columns, columns);
  } else {
    throw value_error("unknown kind of tiles " + repr(value(kind)) + ": use \"row\", \"column\" or \"sym\"");
  }
  return t;
}

bool cover(std::span<const tile> parts, const extents& shape) {
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    sum += parts[i].shape.product();
    for (std::size_t j = 0; j < i; ++j)
      if (overlap(parts[i], parts[j])) return false;
  }
  return sum == shape.product();
}

extents joined_shape(std::span<const tile> parts, const std::string& what) {
  extents shape = parts[0].shape;
  for (const tile& t : parts) {
    if (t.shape.rank() != shape.rank()) throw value_error("the tiles of " + what + " have different dimensions");
    for (std::size_t i = 0; i < shape.rank(); ++i) shape[i] = std::max(shape[i], t.stop(i));
  }
  for (std::size_t i = 0; i < parts.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (overlap(parts[i], parts[j]))
        throw value_error("the tiles of " + what + " overlap: " + text_of(parts[j]) + " and " + text_of(parts[i]));
  if (!cover(parts, shape)) {
    std::string all;
    for (const tile& t : parts) all += (all.empty() ? "" : ", ") + text_of(t);
    throw value_error("the tiles of " + what + " leave gaps: " + all);
  }
  return shape;
}

void put(array& whole, const tile& where, const array& part) {
  const array given = part.cast(whole.type()).contiguous();
  auto* const to = static_cast<std::byte*>(whole.mutable_raw_data());
  const auto* const from = static_cast<const std::byte*>(given.raw_data());
  const auto size = static_cast<std::int64_t>(item_bytes(whole.type()));
  visit_rows(whole.shape(), where, [&](std::int64_t in_whole, std::int64_t in_part, std::int64_t length) {
    std::memcpy(to + in_whole * size, from + in_part * size, static_cast<std::size_t>(length * size));
  });
}

array joined(std::span<const array> parts, std::span<const tile> where, const extents& shape) {
  auto type = parts[0].type();
  for (const auto& part : parts) type = std::max(type, part.type());
  auto whole = array::uninitialized(type, shape);
  for (std::size_t i = 0; i < parts.size(); ++i) put(whole, where[i], parts[i]);
  return whole;
}

array cut_out(const array& whole, const tile& part) {
  if (part.shape.product() == 0) return array::uninitialized(whole.type(), part.shape);
  std::int64_t offset = 0;
  for (std::size_t i = 0; i < part.start.rank(); ++i) offset += part.start[i] * whole.strides()[i];
  return whole.view(offset, part.shape, whole.strides()).copy();
}

} // namespace treadle::tree
