#include <treadle/arrays/value.hpp>
#include <treadle/detail/slab.hpp>

#include "base/dispatch.hpp"
#include "value/diagonal.hpp"
#include "value/strided.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <emmintrin.h>
#include <limits>
#include <new>
#include <optional>
#include <utility>

namespace treadle {

std::string_view to_string(dtype type) noexcept {
  constexpr std::string_view k_names[] = {"bool", "int64", "float64"};
  return k_names[static_cast<std::size_t>(type)];
}

extents::extents(std::span<const std::int64_t> values) {
  for (auto v : values) push_back(v);
}

void extents::push_back(std::int64_t value) {
  if (m_rank == k_max_rank) throw value_error("arrays have at most 4 dimensions");
  m_values[m_rank++] = value;
}

void extents::insert(std::size_t at, std::int64_t value) {
  push_back(value);
  std::rotate(m_values.begin() + static_cast<std::ptrdiff_t>(at),
              m_values.begin() + static_cast<std::ptrdiff_t>(m_rank) - 1,
              m_values.begin() + static_cast<std::ptrdiff_t>(m_rank));
}

void extents::erase(std::size_t at) noexcept {
  std::copy(m_values.begin() + static_cast<std::ptrdiff_t>(at) + 1,
            m_values.begin() + static_cast<std::ptrdiff_t>(m_rank), m_values.begin() + static_cast<std::ptrdiff_t>(at));
  --m_rank;
}

std::int64_t extents::product() const {
  std::int64_t n = 1;
  for (auto length : *this)
    if (length < 0 || __builtin_mul_overflow(n, length, &n) || n > std::numeric_limits<std::int64_t>::max() / 16)
      throw value_error("an array of shape " + to_string(*this) + " is impossible");
  return n;
}

std::string to_string(const extents& shape) {
  std::string text = "(";
  for (std::size_t i = 0; i < shape.rank(); ++i) text += (i ? ", " : "") + std::to_string(shape[i]);
  return text + (shape.rank() == 1 ? ",)" : ")");
}

namespace detail {

namespace {

// In place: a copy of what was written a moment ago, word by word, costs more than all the rest.
void set_row_major_strides(const extents& shape, extents& strides) noexcept {
  strides = shape;
  std::int64_t step = 1;
  for (std::size_t i = shape.rank(); i-- > 0;) {
    strides[i] = step;
    step *= shape[i];
  }
}

} // namespace

extents row_major_strides(const extents& shape) noexcept {
  extents strides;
  set_row_major_strides(shape, strides);
  return strides;
}

extents broadcast_shapes(const extents& a, const extents& b) {
  const auto& longer = a.rank() >= b.rank() ? a : b;
  const auto& shorter = a.rank() >= b.rank() ? b : a;
  extents result = longer;
  const std::size_t lead = longer.rank() - shorter.rank();
  for (std::size_t i = 0; i < shorter.rank(); ++i) {
    if (result[lead + i] == 1)
      result[lead + i] = shorter[i];
    else if (shorter[i] != 1 && shorter[i] != result[lead + i])
      throw value_error("operands of shapes " + to_string(a) + " and " + to_string(b) + " cannot be broadcast");
  }
  return result;
}

extents broadcast_strides(const extents& shape, const extents& strides, const extents& target) noexcept {
  extents result = target;
  const std::size_t lead = target.rank() - shape.rank();
  for (std::size_t i = 0; i < target.rank(); ++i) result[i] = i < lead || shape[i - lead] == 1 ? 0 : strides[i - lead];
  return result;
}

namespace {

// NumPy's conversion: to bool by != 0, from float by truncation (out of range and NaN give the smallest integer).
template <class To, class From>
TREADLE_LOOP To convert_element(From x) noexcept {
  if constexpr (std::is_same_v<To, bool>) {
    return x != From(0);
  } else if constexpr (std::is_same_v<From, double> && std::is_same_v<To, std::int64_t>) {
    return _mm_cvttsd_si64(_mm_set_sd(x)); // the least integer for what does not fit, as in NumPy
  } else {
    return static_cast<To>(x);
  }
}

template <class From, class To>
struct convert_row {
  TREADLE_LOOP static void run(const From* in, std::int64_t count, std::int64_t step, To* out, std::int64_t out_step) {
    if (step == 1 && out_step == 1)
      for (std::int64_t i = 0; i < count; ++i) out[i] = convert_element<To>(in[i]);
    else if (step == -1 && out_step == 1) // a flipped view
      for (std::int64_t i = 0; i < count; ++i) out[i] = convert_element<To>(in[-i]);
    else
      for (std::int64_t i = 0; i < count; ++i) out[i * out_step] = convert_element<To>(in[i * step]);
  }
};

// in[i, j] lies at i + j * in_step, out[i, j] at i * out_step + j: in squares, whose lines stay in the cache.
template <class From, class To>
struct convert_transposed {
  TREADLE_LOOP static void run(const From* in, std::int64_t rows, std::int64_t columns, std::int64_t in_step, To* out,
                               std::int64_t out_step) {
    constexpr std::int64_t k_side = 8;
    const auto whole_rows = rows / k_side * k_side, whole_columns = columns / k_side * k_side;
    for (std::int64_t i = 0; i < whole_rows; i += k_side)
      for (std::int64_t j = 0; j < whole_columns; j += k_side)
        for (std::int64_t k = 0; k < k_side; ++k)
          for (std::int64_t l = 0; l < k_side; ++l)
            out[(i + k) * out_step + j + l] = convert_element<To>(in[i + k + (j + l) * in_step]);
    for (std::int64_t i = 0; i < rows; ++i)
      for (std::int64_t j = i < whole_rows ? whole_columns : 0; j < columns; ++j)
        out[i * out_step + j] = convert_element<To>(in[i + j * in_step]);
  }
};

} // namespace

void copy_elements(const array& from, dtype to_type, const extents& to_strides, void* to) {
  visit_dtype(from.type(), [&](auto* from_tag) {
    visit_dtype(to_type, [&](auto* to_tag) {
      using From = element_of<decltype(from_tag)>;
      using To = element_of<decltype(to_tag)>;
      const From* source = from.data<From>();
      To* target = static_cast<To*>(to);
      const auto &shape = from.shape(), &strides = from.strides();
      if (shape.rank() == 2 && shape[1] > 1 && strides[0] == 1 && to_strides[1] == 1)
        return run_wide<convert_transposed<From, To>>(source, shape[0], shape[1], strides[1], target, to_strides[0]);
      for_each_row<2>(from.shape(), {&from.strides(), &to_strides}, [&](const row<2>& r) {
        const From* in = source + r.offset[0];
        To* out = target + r.offset[1];
        if (std::is_same_v<From, To> && r.stride[0] == 1 && r.stride[1] == 1) {
          std::memcpy(out, in, static_cast<std::size_t>(r.count) * sizeof(To));
        } else {
          run_wide<convert_row<From, To>>(in, r.count, r.stride[0], out, r.stride[1]);
        }
      });
    });
  });
}

namespace {

constexpr std::size_t k_header_bytes = (sizeof(array_object) + 31) / 32 * 32; // keeps the elements aligned for vectors

array_object* new_header(std::size_t element_bytes) {
  auto* o = new (slab_allocate(k_header_bytes + element_bytes)) array_object;
  o->kind = static_cast<std::uint8_t>(value_kind::array);
  return o;
}

// What is kept is never such a view itself: no recursion beyond one level.
void keep(array_object& view, array_object* original) noexcept {
  view.owner = original;
  view.release = [](void* kept) { drop_reference(static_cast<array_object*>(kept)); };
  add_reference(original);
}

} // namespace

void destroy_array(array_object* o) noexcept {
  if (o->is_diagonal) return destroy_diagonal(o);
  if (o->release) o->release(o->owner);
  auto* base = o->base;
  const bool owns = !base && !o->release && o->data == reinterpret_cast<std::byte*>(o) + k_header_bytes;
  std::size_t bytes = k_header_bytes;
  if (owns) bytes += static_cast<std::size_t>(count_of(*o)) * item_bytes(o->type);
  o->~array_object();
  slab_free(o, bytes);
  if (base) drop_reference(base); // a base is never a view itself: no recursion beyond one level
}

} // namespace detail

array array::uninitialized(dtype type, const extents& shape) {
  const auto bytes = static_cast<std::size_t>(shape.product()) * item_bytes(type);
  auto* o = detail::new_header(bytes);
  o->type = type;
  o->shape = shape;
  detail::set_row_major_strides(shape, o->strides);
  o->data = reinterpret_cast<std::byte*>(o) + detail::k_header_bytes;
  return array(o);
}

array array::zeros(dtype type, const extents& shape) {
  auto result = uninitialized(type, shape);
  std::memset(result.m_object->data, 0, static_cast<std::size_t>(result.size()) * item_bytes(type));
  return result;
}

array array::borrow(dtype type, const extents& shape, const extents& strides, const void* data, void* owner,
                    void (*release)(void* owner)) {
  auto* o = detail::new_header(0);
  o->type = type;
  o->shape = shape;
  o->strides = strides;
  o->data = const_cast<void*>(data); // never written: is_unique() is false for memory that is not ours
  o->owner = owner;
  o->release = release ? release : [](void*) {};
  return array(o);
}

array array::broadcast(const array& a, const extents& shape) {
  const std::size_t lead = shape.rank() - std::min(shape.rank(), a.rank());
  bool fits = a.rank() <= shape.rank() && shape.product() >= 0;
  for (std::size_t i = 0; fits && i < a.rank(); ++i) fits = a.shape()[i] == 1 || a.shape()[i] == shape[lead + i];
  if (!fits)
    throw value_error("an array of shape " + to_string(a.shape()) + " cannot be broadcast to " + to_string(shape));
  return a.view(0, shape, detail::broadcast_strides(a.shape(), a.strides(), shape));
}

bool array::is_contiguous() const noexcept {
  std::int64_t step = 1;
  for (std::size_t i = rank(); i-- > 0;) {
    if (shape()[i] == 0) return true;
    if (shape()[i] != 1 && strides()[i] != step) return false;
    step *= shape()[i];
  }
  return true;
}

bool array::is_unique() const noexcept {
  const auto alone = [](const detail::array_object* o) {
    return o->references.load(std::memory_order_acquire) == 1 && !o->release;
  };
  if (!alone(m_object) || (m_object->base && !alone(m_object->base))) return false;
  for (std::size_t i = 0; i < rank(); ++i)
    if (strides()[i] == 0 && shape()[i] > 1 && size() > 0) return false; // a broadcast view repeats its elements
  return true;
}

/// The axes, the outermost in memory first; as they are where elements are repeated.
static std::array<std::int64_t, k_max_rank> axes_in_memory(const array& a) {
  std::array<std::int64_t, k_max_rank> axes{};
  bool repeats = false;
  for (std::size_t i = 0; i < a.rank(); ++i) {
    axes[i] = static_cast<std::int64_t>(i);
    repeats |= a.strides()[i] == 0 && a.shape()[i] > 1;
  }
  const auto distance = [&](std::int64_t axis) { return std::abs(a.strides()[static_cast<std::size_t>(axis)]); };
  for (std::size_t i = 1; !repeats && i < a.rank(); ++i)
    for (std::size_t k = i; k > 0 && distance(axes[k - 1]) < distance(axes[k]); --k) std::swap(axes[k - 1], axes[k]);
  return axes;
}

// Whether anybody else sees the elements can depend on how far other tasks are, and the layout of operands decides in
// which order a product or a sum is computed. So the layout is the same with and without a copy.
void* array::mutable_raw_data() {
  if (m_object->is_diagonal) {
    *this = detail::dense(*this);
    return m_object->data;
  }
  if (is_contiguous() && is_unique()) return m_object->data;
  const auto axes = axes_in_memory(*this);
  extents packed = strides(); // without gaps
  std::int64_t step = 1;
  for (std::size_t i = rank(); i-- > 0;) {
    const auto axis = static_cast<std::size_t>(axes[i]);
    if (shape()[axis] != 1) packed[axis] = step;
    step *= shape()[axis];
  }
  if (packed == strides() && is_unique()) return m_object->data;
  const array in_order = transpose(std::span(axes).first(rank()));
  auto result = uninitialized(type(), shape());
  result.m_object->strides = packed;
  detail::copy_elements(in_order, type(), detail::row_major_strides(in_order.shape()), result.m_object->data);
  *this = std::move(result);
  return m_object->data;
}

array array::view(std::int64_t offset, const extents& shape, const extents& strides) const {
  auto* o = detail::new_header(0);
  o->type = type();
  o->shape = shape;
  o->strides = strides;
  o->data =
      static_cast<std::byte*>(detail::elements_of(*m_object)) + offset * static_cast<std::int64_t>(item_bytes(type()));
  o->base = m_object->base ? m_object->base : m_object;
  detail::add_reference(o->base);
  if (m_object->base && m_object->release) detail::keep(*o, static_cast<detail::array_object*>(m_object->owner));
  return array(o);
}

array detail::read_only(const array& a, const array& original) {
  auto result = a.view(0, a.shape(), a.strides());
  if (result.object()->release) return result;
  auto* o = original.object();
  keep(*result.object(), o->base && o->release ? static_cast<array_object*>(o->owner) : memory_of(original));
  return result;
}

array array::transpose() const {
  if (m_object->is_diagonal) return detail::transposed_diagonal(*this);
  extents shape = this->shape(), strides = this->strides();
  for (std::size_t i = 0, n = rank(); i < n; ++i) {
    shape[i] = this->shape()[n - 1 - i];
    strides[i] = this->strides()[n - 1 - i];
  }
  return view(0, shape, strides);
}

array array::transpose(std::span<const std::int64_t> axes) const {
  if (axes.size() != rank()) throw value_error("transpose needs " + std::to_string(rank()) + " axes");
  extents shape = this->shape(), strides = this->strides();
  unsigned seen = 0;
  for (std::size_t i = 0; i < rank(); ++i) {
    const auto axis = axes[i] < 0 ? axes[i] + static_cast<std::int64_t>(rank()) : axes[i];
    if (axis < 0 || axis >= static_cast<std::int64_t>(rank()) || (seen >> axis & 1))
      throw value_error("axes of a transpose must be a permutation; got " + std::to_string(axes[i]));
    seen |= 1u << axis;
    shape[i] = this->shape()[static_cast<std::size_t>(axis)];
    strides[i] = this->strides()[static_cast<std::size_t>(axis)];
  }
  return view(0, shape, strides);
}

array detail::exchange_axes(const array& a, std::size_t axis, std::size_t other) {
  extents order = a.shape();
  for (std::size_t i = 0; i < order.rank(); ++i) order[i] = static_cast<std::int64_t>(i);
  std::swap(order[axis], order[other]);
  return a.transpose({order.begin(), order.end()});
}

namespace {

// The strides that show the same elements in row-major order in another shape of as many; none where only a copy can.
std::optional<extents> strides_in(const extents& wanted, const extents& old_shape, const extents& old_strides) {
  extents shape, strides, result = detail::row_major_strides(wanted);
  for (std::size_t i = 0; i < old_shape.rank(); ++i) {
    if (old_shape[i] == 1) continue;
    shape.push_back(old_shape[i]);
    strides.push_back(old_strides[i]);
  }
  std::size_t from = 0, to = 0; // axes that are done
  while (from < shape.rank() && to < wanted.rank()) {
    auto from_end = from + 1, to_end = to + 1;
    auto from_count = shape[from], to_count = wanted[to];
    while (from_count != to_count) { // the least groups of axes with as many elements
      if (to_count < from_count)
        to_count *= wanted[to_end++];
      else
        from_count *= shape[from_end++];
    }
    for (auto i = from; i + 1 < from_end; ++i)
      if (strides[i] != shape[i + 1] * strides[i + 1]) return {};
    result[to_end - 1] = strides[from_end - 1];
    for (auto i = to_end - 1; i > to; --i) result[i - 1] = result[i] * wanted[i];
    from = from_end;
    to = to_end;
  }
  for (; to < wanted.rank(); ++to) result[to] = 0; // axes of length 1
  return result;
}

} // namespace

array array::reshape(const extents& wanted) const {
  extents shape = wanted;
  std::int64_t known = 1;
  std::size_t open = k_max_rank;
  for (std::size_t i = 0; i < shape.rank(); ++i) {
    if (shape[i] == -1 && open == k_max_rank)
      open = i;
    else
      known *= shape[i];
  }
  if (open != k_max_rank && known != 0) shape[open] = size() / known;
  if (std::any_of(shape.begin(), shape.end(), [](auto n) { return n < 0; }) || shape.product() != size())
    throw value_error("an array of shape " + to_string(this->shape()) + " cannot be reshaped to " + to_string(wanted));
  if (size() == 0 || is_contiguous()) return view(0, shape, detail::row_major_strides(shape));
  if (const auto strides = strides_in(shape, this->shape(), this->strides())) return view(0, shape, *strides);
  return copy().view(0, shape, detail::row_major_strides(shape));
}

array array::contiguous() const { return is_contiguous() ? *this : copy(); }

array array::copy() const {
  if (m_object->is_diagonal) return detail::dense(detail::diagonal_of(*this), shape());
  auto result = uninitialized(type(), shape());
  detail::copy_elements(*this, type(), result.strides(), result.m_object->data);
  return result;
}

array array::cast(dtype type) const {
  if (type == this->type()) return *this;
  if (m_object->is_diagonal) return detail::diagonal_matrix(detail::diagonal_of(*this).cast(type));
  auto result = uninitialized(type, shape());
  detail::copy_elements(*this, type, result.strides(), result.m_object->data);
  return result;
}

} // namespace treadle
