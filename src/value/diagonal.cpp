#include "value/diagonal.hpp"

#include <treadle/detail/slab.hpp>

#include "value/strided.hpp"

#include <atomic>
#include <new>
#include <utility>

namespace treadle::detail {
namespace {

// Immutable but for `elements`, which the first that asks sets once. Views of the matrix have it as their base, as
// they would have an ordinary array, so that reference counts mean the same.
struct diagonal_object : array_object {
  diagonal_object(array v, const extents& of_shape, const extents& of_strides) noexcept : vector(std::move(v)) {
    kind = static_cast<std::uint8_t>(value_kind::array);
    type = vector.type();
    is_diagonal = true;
    shape = of_shape;
    strides = of_strides;
  }

  array vector;
  mutable std::atomic<array_object*> elements{nullptr}; // of one that is no view
};

diagonal_object* new_diagonal(array vector, const extents& shape, const extents& strides) {
  return new (slab_allocate(sizeof(diagonal_object))) diagonal_object(std::move(vector), shape, strides);
}

} // namespace

array dense(const array& vector, const extents& shape) {
  auto result = array::zeros(vector.type(), shape);
  copy_elements(vector, vector.type(), {shape[1] + 1}, result.object()->data);
  return result;
}

array dense(const array& a) {
  const auto result = dense(diagonal_of(a), a.shape());
  return a.strides() == result.strides() ? result : result.transpose();
}

array diagonal_matrix(array vector) {
  const auto n = vector.shape()[0];
  const extents shape{n, n};
  static_cast<void>(shape.product()); // refuses what is impossible
  if (n < k_least_diagonal) return dense(vector, shape);
  return array::adopt(new_diagonal(std::move(vector), shape, row_major_strides(shape)));
}

array transposed_diagonal(const array& a) {
  auto* o = new_diagonal(diagonal_of(a), a.shape(), {a.strides()[1], a.strides()[0]});
  o->base = a.object()->base ? a.object()->base : a.object();
  add_reference(o->base);
  return array::adopt(o);
}

const array& diagonal_of(const array& a) noexcept { return static_cast<const diagonal_object*>(a.object())->vector; }

// Two threads may make them at the same time; one of them finds that the other was faster, and uses its.
void* diagonal_elements(const array_object& o) {
  if (!o.is_diagonal) return o.data;
  if (o.base) return diagonal_elements(*o.base);
  const auto& self = static_cast<const diagonal_object&>(o);
  auto* found = self.elements.load(std::memory_order_acquire); // pairs with the exchange: the elements are written
  if (!found) {
    auto* made = dense(self.vector, self.shape).release();
    if (self.elements.compare_exchange_strong(found, made, std::memory_order_acq_rel, std::memory_order_acquire))
      found = made;
    else
      drop_reference(made);
  }
  return found->data;
}

void destroy_diagonal(array_object* o) noexcept {
  auto* self = static_cast<diagonal_object*>(o);
  auto* const held = self->base ? self->base : self->elements.load(std::memory_order_relaxed);
  if (held) drop_reference(held); // neither of them is a view: no recursion beyond one level
  self->~diagonal_object();
  slab_free(self, sizeof(diagonal_object));
}

} // namespace treadle::detail
