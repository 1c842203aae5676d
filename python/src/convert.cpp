#include "convert.hpp"

#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

namespace nb = nanobind;

namespace treadle::python {
namespace {

constexpr int k_max_nesting = 200; // of lists in lists; a list that holds itself ends here

// Buffers whose last value went away, perhaps on a worker: only a thread with the GIL may release them.
struct pending_releases {
  std::mutex mutex;
  std::vector<Py_buffer*> buffers;
};
pending_releases& pending() {
  static auto* all = new pending_releases; // never destroyed: values may outlive static objects
  return *all;
}

void release_later(void* owner) {
  auto& all = pending();
  std::lock_guard lock(all.mutex);
  all.buffers.push_back(static_cast<Py_buffer*>(owner));
}

[[noreturn]] void refuse(PyObject* kind, const std::string& message) {
  PyErr_SetString(kind, message.c_str());
  throw nb::python_error();
}

std::string name_of_type(nb::handle object) { return nb::cast<std::string>(nb::str(nb::type_name(object.type()))); }

// The element type of a buffer format in native byte order, if it is one of ours as it stands.
std::optional<dtype> exact_dtype(const char* format, Py_ssize_t item_size) {
  if (format == nullptr) return std::nullopt;
  if (*format == '@' || *format == '=' || (*format == '<' && std::endian::native == std::endian::little)) ++format;
  if (*format == '\0' || format[1] != '\0') return std::nullopt;
  switch (*format) {
  case '?':
    return dtype::boolean;
  case 'l':
  case 'q':
    return item_size == 8 ? std::optional(dtype::int64) : std::nullopt;
  case 'd':
    return dtype::float64;
  default:
    return std::nullopt;
  }
}

// Strides counted in elements; none when the memory is not made of aligned elements.
std::optional<std::array<std::int64_t, k_max_rank>> element_strides(const Py_buffer& buffer) {
  std::array<std::int64_t, k_max_rank> strides{};
  if (reinterpret_cast<std::uintptr_t>(buffer.buf) % static_cast<std::uintptr_t>(buffer.itemsize) != 0)
    return std::nullopt;
  for (int i = 0; i < buffer.ndim; ++i) {
    if (buffer.strides[i] % buffer.itemsize != 0) return std::nullopt;
    strides[static_cast<std::size_t>(i)] = buffer.strides[i] / buffer.itemsize;
  }
  return strides;
}

value array_value(nb::handle object, const std::string& name);

// An array whose element type or layout cannot be read in place: NumPy converts it, if nothing is lost.
value converted_array(nb::handle object, const std::string& name) {
  auto kind = nb::cast<std::string>(object.attr("dtype").attr("kind"));
  const auto item_size = nb::cast<int>(object.attr("dtype").attr("itemsize"));
  const char* wanted = nullptr;
  if (kind == "b")
    wanted = "bool";
  else if (kind == "i" || (kind == "u" && item_size < 8))
    wanted = "int64";
  else if (kind == "f" && item_size <= 8)
    wanted = "float64";
  if (wanted == nullptr)
    refuse(PyExc_TypeError, name + " is an array of " + nb::str(nb::object(object.attr("dtype"))).c_str() +
                                ": arrays hold bool, int64 or float64, or a smaller integer or float type");
  return array_value(object.attr("astype")(wanted, nb::arg("order") = "C"), name);
}

value array_value(nb::handle object, const std::string& name) {
  const auto rank = nb::cast<int>(object.attr("ndim"));
  if (rank > static_cast<int>(k_max_rank))
    refuse(PyExc_ValueError, name + " has " + std::to_string(rank) + " dimensions; there are at most 4");
  auto buffer = std::make_unique<Py_buffer>();
  if (PyObject_GetBuffer(object.ptr(), buffer.get(), PyBUF_STRIDES | PyBUF_FORMAT) != 0) {
    PyErr_Clear(); // an element type without a buffer format, such as dates
    return converted_array(object, name);
  }
  const auto type = exact_dtype(buffer->format, buffer->itemsize);
  const auto strides = type ? element_strides(*buffer) : std::nullopt;
  if (!strides) {
    PyBuffer_Release(buffer.get());
    return converted_array(object, name);
  }
  std::array<std::int64_t, k_max_rank> shape{};
  std::copy_n(buffer->shape, rank, shape.begin());
  const auto length = static_cast<std::size_t>(rank);
  const void* data = buffer->buf;
  return array::borrow(*type, extents(std::span(shape).first(length)), extents(std::span(*strides).first(length)), data,
                       buffer.release(), release_later);
}

std::int64_t integer_value(nb::handle object, const std::string& name) {
  int overflow = 0;
  const auto result = PyLong_AsLongLongAndOverflow(object.ptr(), &overflow);
  if (overflow != 0) refuse(PyExc_OverflowError, name + " does not fit into 64 bits");
  if (result == -1 && PyErr_Occurred()) throw nb::python_error();
  return result;
}

value convert(nb::handle object, const std::string& name, int depth);

value sequence_value(nb::handle object, const std::string& name, int depth) {
  std::vector<value> items;
  std::size_t i = 0;
  for (nb::handle item : nb::iter(object))
    items.push_back(convert(item, name + "[" + std::to_string(i++) + "]", depth + 1));
  return PyTuple_Check(object.ptr()) ? value::tuple(std::move(items)) : value::list(std::move(items));
}

value dict_value(nb::handle object, const std::string& name, int depth) {
  std::vector<value::entry> entries;
  for (auto [key, item] : nb::borrow<nb::dict>(object)) {
    const auto place = name + "[" + nb::cast<std::string>(nb::repr(key)) + "]";
    auto key_value = convert(key, place, depth + 1);
    if (!key_value.is_key())
      refuse(PyExc_TypeError, place + ": keys are numbers, text or tuples of them, not " + name_of_type(key));
    entries.emplace_back(std::move(key_value), convert(item, place, depth + 1));
  }
  return value::dict(std::move(entries));
}

// NumPy's classes, looked up once.
struct numpy_types {
  nb::object array, scalar, boolean, int64, float64;
  static const numpy_types& get() {
    static auto* types = [] {
      auto numpy = nb::module_::import_("numpy");
      return new numpy_types{numpy.attr("ndarray"), numpy.attr("generic"), numpy.attr("bool_"), numpy.attr("int64"),
                             numpy.attr("float64")};
    }();
    return *types;
  }
};

value convert(nb::handle object, const std::string& name, int depth) {
  PyObject* o = object.ptr();
  if (depth > k_max_nesting) refuse(PyExc_ValueError, name.substr(0, 80) + "… is nested too deeply");
  if (o == Py_None) return {};
  if (PyBool_Check(o)) return o == Py_True;
  if (PyLong_CheckExact(o)) return integer_value(object, name);
  if (PyFloat_CheckExact(o)) return PyFloat_AS_DOUBLE(o);
  if (PyObject_IsInstance(o, numpy_types::get().array.ptr()) == 1) {
    const auto type = name_of_type(object);
    if (type.ends_with("MaskedArray") || type.ends_with("matrix"))
      refuse(PyExc_TypeError, name + " is a " + type + ", which computes differently: pass a plain array");
    return array_value(object, name);
  }
  if (PyObject_IsInstance(o, numpy_types::get().scalar.ptr()) == 1) {
    auto plain = object.attr("item")();
    if (PyObject_IsInstance(plain.ptr(), numpy_types::get().scalar.ptr()) == 1)
      refuse(PyExc_TypeError, name + " is a " + name_of_type(object) + ": numbers are bool, int or float");
    auto number = convert(plain, name, depth + 1);
    if (number.is_scalar()) number.set_array_scalar(true); // text stays text
    return number;
  }
  if (PyUnicode_Check(o)) {
    Py_ssize_t bytes = 0;
    if (const auto* text = PyUnicode_AsUTF8AndSize(o, &bytes))
      return std::string_view(text, static_cast<std::size_t>(bytes));
    PyErr_Clear();
    refuse(PyExc_ValueError, name + " is text that UTF-8 cannot express");
  }
  if (PyRange_Check(o))
    return value::range(integer_value(object.attr("start"), name), integer_value(object.attr("stop"), name),
                        integer_value(object.attr("step"), name));
  if (PyList_CheckExact(o) || PyTuple_CheckExact(o)) return sequence_value(object, name, depth);
  if (PyDict_CheckExact(o)) return dict_value(object, name, depth);
  if (PyList_Check(o) || PyTuple_Check(o) || PyDict_Check(o)) // a named tuple, a defaultdict
    refuse(PyExc_TypeError, name + " is a " + name_of_type(object) +
                                ", which may do other things than a list, tuple or dict: pass a plain one");
  if (PyLong_Check(o)) return integer_value(object, name);
  if (PyFloat_Check(o)) return PyFloat_AS_DOUBLE(o);
  if (nb::hasattr(object, "__array__")) return array_value(nb::module_::import_("numpy").attr("asarray")(object), name);
  refuse(PyExc_TypeError,
         name + " is of type " + name_of_type(object) +
             ": values are None, bool, int, float, str, NumPy arrays, lists, tuples, ranges and dicts");
}

template <class T>
nb::object wrap(const array& a, nb::handle owner) {
  std::array<std::size_t, k_max_rank> shape{};
  std::array<std::int64_t, k_max_rank> strides{};
  for (std::size_t i = 0; i < a.rank(); ++i) {
    shape[i] = static_cast<std::size_t>(a.shape()[i]);
    strides[i] = a.strides()[i];
  }
  auto* data = const_cast<T*>(a.data<T>()); // nobody else sees it: see to_python
  return nb::cast(nb::ndarray<nb::numpy, T>(data, a.rank(), shape.data(), owner, strides.data()));
}

nb::object array_object(value&& v) {
  auto* held = new value(v.as_array().is_unique() ? std::move(v) : value(v.as_array().copy()));
  auto owner = nb::capsule(held, [](void* p) noexcept { delete static_cast<value*>(p); });
  const auto& a = held->as_array();
  switch (a.type()) {
  case dtype::boolean:
    return wrap<bool>(a, owner);
  case dtype::int64: // which NumPy would show as long long, one of two types of that size
    return wrap<std::int64_t>(a, owner).attr("view")(numpy_types::get().int64);
  case dtype::float64:
    break;
  }
  return wrap<double>(a, owner);
}

// Text of PhySL is bytes; those that are not UTF-8 show as \xHH.
nb::object text_object(std::string_view text) {
  auto* object = PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "backslashreplace");
  if (!object) throw nb::python_error();
  return nb::steal(object);
}

} // namespace

value to_value(nb::handle object, const std::string& name) { return convert(object, name, 0); }

value detached(const value& v) { // as deep as convert() goes
  if (v.is_array()) return v.as_array().is_unique() ? v : value(v.as_array().copy());
  if (v.is_dict()) {
    std::vector<value::entry> entries;
    for (const auto& [key, item] : v.entries()) entries.emplace_back(key, detached(item));
    return value::dict(std::move(entries));
  }
  if (!v.is_list()) return v;
  bool plain = true; // also a range, which must not be written out
  for (std::size_t i = 0, n = v.size(); plain && i < n; ++i) plain = v.item(i).is_scalar();
  if (plain) return v;
  std::vector<value> items;
  for (std::size_t i = 0, n = v.size(); i < n; ++i) items.push_back(detached(v.item(i)));
  return v.is_tuple() ? value::tuple(std::move(items)) : value::list(std::move(items));
}

namespace {

nb::object object_of(value&& v, int depth);

} // namespace

nb::object to_python(value&& v) { return object_of(std::move(v), 0); }

namespace {

nb::object array_scalar_object(const value& v) {
  const auto& types = numpy_types::get();
  if (v.kind() == value_kind::boolean) return types.boolean(v.boolean());
  return v.kind() == value_kind::int64 ? types.int64(v.integer()) : types.float64(v.real());
}

nb::object range_object(const value& range) {
  const auto [start, stop, step] = range.range_bounds();
  return nb::handle(reinterpret_cast<PyObject*>(&PyRange_Type))(start, stop, step);
}

nb::object object_of(value&& v, int depth) {
  if (depth > k_max_nesting) refuse(PyExc_RecursionError, "the result is nested too deeply");
  if (v.is_array_scalar()) return array_scalar_object(v);
  switch (v.kind()) {
  case value_kind::nil:
    return nb::none();
  case value_kind::boolean:
    return nb::bool_(v.boolean());
  case value_kind::int64:
    return nb::int_(v.integer());
  case value_kind::float64:
    return nb::float_(v.real());
  case value_kind::string:
    return text_object(v.to_string_view());
  case value_kind::array:
    return array_object(std::move(v));
  case value_kind::future:
    return object_of(v.wait(), depth + 1);
  case value_kind::list: {
    if (v.is_range()) return range_object(v);
    std::vector<value> items;
    for (std::size_t i = 0, n = v.size(); i < n; ++i) items.push_back(v.item(i));
    const bool is_tuple = v.is_tuple();
    v = value(); // the last owner of a fresh list: its arrays are now ours alone, and need no copy
    nb::list result;
    for (auto& item : items) result.append(object_of(std::move(item), depth + 1));
    if (is_tuple) return nb::tuple(result);
    return result;
  }
  case value_kind::dict: {
    nb::dict result;
    for (const auto& [key, item] : v.entries())
      result[object_of(value(key), depth + 1)] = object_of(value(item), depth + 1);
    return result;
  }
  case value_kind::function:
  case value_kind::signal:
    break;
  }
  refuse(PyExc_TypeError, "the result is a function: call it inside and return what it gives");
}

} // namespace

void release_pending() {
  std::vector<Py_buffer*> buffers;
  {
    auto& all = pending();
    std::lock_guard lock(all.mutex);
    buffers.swap(all.buffers);
  }
  for (Py_buffer* buffer : buffers) {
    PyBuffer_Release(buffer);
    delete buffer;
  }
}

} // namespace treadle::python
