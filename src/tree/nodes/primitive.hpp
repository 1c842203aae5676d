// What a primitive is to the compiler and evaluator: a name, a signature, its effects, and a kernel over values.
#pragma once

#include <treadle/arrays/value.hpp>

#include "value/objects.hpp"

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace treadle::tree {

class run_services; // random numbers and output of one run
struct primitive;

// Given to a kernel with its arguments. Arguments are never futures. One that is not owned belongs to somebody else and
// must only be read; an owned one is a temporary that the kernel may consume or overwrite.
struct call_context {
  const primitive* self = nullptr;
  run_services* services = nullptr;
  std::uint32_t owned = 0; // bit i: args[i] is a temporary (only the first 32 arguments ever are)

  bool owns(std::size_t i) const noexcept { return i < 32 && (owned >> i & 1u); }
};

using kernel = value (*)(call_context& context, std::span<value> args);

enum class effect : std::uint8_t {
  none,    // the result depends on the arguments alone: may overlap with anything
  ordered, // random numbers, input and output: in program order
  exchange // what all localities do together, in program order
};

// What a number that a primitive gives is in Python: NumPy's, as a function of arrays gives it; NumPy's where an
// operand is an array or came out of one; or what the kernel has made.
enum class number_rule : std::uint8_t { of_arrays, as_operands, as_made };

// Signature: parameter names separated by commas; `name=` is optional (missing: nil), a last `...` takes any number
// more. Names serve for keyword arguments, __arg(name, value). `name=-1`: where only a later one is given, this is -1.
struct primitive {
  std::string_view name;
  std::string_view signature;
  kernel compute;
  effect effects = effect::none;
  number_rule numbers = number_rule::of_arrays;
  bool gives_tiles = false; // parts of arrays that are spread over localities, made or taken out of lists
};

struct parameter {
  std::string_view name;
  bool optional = false;
  value otherwise; // where a later one is given by its name
};

struct signature {
  explicit signature(std::string_view text);

  std::vector<parameter> parameters;
  bool variadic = false;
  std::size_t required = 0;
};

// Null when there is none of that name.
const primitive* find_primitive(std::string_view name) noexcept;
std::span<const primitive* const> all_primitives(); // sorted by name

// The families, one file each.
std::span<const primitive> arithmetic_primitives();
std::span<const primitive> comparison_primitives();
std::span<const primitive> unary_primitives();
std::span<const primitive> transcendental_primitives();
std::span<const primitive> reduction_primitives();
std::span<const primitive> statistics_primitives();
std::span<const primitive> norm_primitives();
std::span<const primitive> creation_primitives();
std::span<const primitive> shape_primitives();
std::span<const primitive> joining_primitives();
std::span<const primitive> padding_primitives();
std::span<const primitive> slicing_primitives();
std::span<const primitive> matrix_primitives();
std::span<const primitive> solver_primitives();
std::span<const primitive> sorting_primitives();
std::span<const primitive> list_primitives();
std::span<const primitive> random_primitives();
std::span<const primitive> output_primitives();
std::span<const primitive> format_primitives();
std::span<const primitive> information_primitives();
std::span<const primitive> distributed_primitives();
std::span<const primitive> convolution_primitives();
std::span<const primitive> python_primitives();

// Helpers for kernels
// --------------------------------------------------------------------------------------------------

inline const value k_nil_value{};

// The i-th argument, nil when it was left out.
inline const value& argument(std::span<const value> args, std::size_t i) noexcept {
  return i < args.size() ? args[i] : k_nil_value;
}

// Runs another primitive on these values.
value call_primitive(std::string_view name, const call_context& context, std::vector<value> args);

// The argument as an array that may be kept: moved out of a temporary, shared otherwise.
array take_array(const call_context& context, std::span<value> args, std::size_t i);

// A dtype given as a name: "int", "int64", "float", "float64", "bool"; nil gives `otherwise`.
dtype to_dtype(const value& v, dtype otherwise);

// An array, or a number out of one.
inline bool is_of_array(const value& v) noexcept { return v.is_array() || v.is_array_scalar(); }

// As cast(), but a number of the language, and in a list any number, must fit: value_error for nan as an integer, and
// what is too large.
array to_array_of(const value& v, dtype type);
void require_integer(const value& number); // value_error as above; nothing for what is no number

// An axis counted from the end when negative; value_error when out of [-rank, rank).
std::size_t to_axis(const value& v, std::size_t rank);
// The diagonal that an argument says, nil: 0, of a vector that is to be on it or of a matrix: there one next to the
// last at most, which is empty, too.
std::int64_t to_diagonal(const value& v, const extents& shape);

// A set of axes, one bit each, from nil (all), an axis or a list of different ones. A scalar has an axis of its own in
// NumPy when one is named: 0 and -1 are none.
std::uint32_t to_axes(const value& v, std::size_t rank);

// The number that an array without axes holds; any other value itself.
value as_number(const value& v);

// Whether it is a list, or an array with axes.
bool has_axes(const value& v) noexcept;

// A shape from an integer, a list or an array of integers.
extents to_extents(const value& v);

dtype dtype_of_value(const value& v); // of a number

inline bool is_nan(const value& v) noexcept { return v.kind() == value_kind::float64 && v.real() != v.real(); }

} // namespace treadle::tree
