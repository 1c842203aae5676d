// Changes as Python means them: of the object itself, which every other name of it would show. Values have no identity,
// so a change is made only where nobody else holds what it changes, and refused where somebody does
// (docs/design/aliasing.md).
#pragma once

#include <treadle/arrays/value.hpp>

#include "tree/kernels/slicing.hpp"

#include <cstdint>
#include <span>
#include <string_view>

namespace treadle::tree {

enum class change_kind : std::uint8_t {
  value,  // store(x, e): PhySL's own, which changes this one variable and copies what somebody else sees
  assign, // __change(slice(x, i), e): x[i] = e
  update, // __update(x, e), __update(slice(x, i), e): the result of x += ..., of x[i] += ...
  append  // __append(x, e), __append(slice(x, i), e): x.append(e)
};

// How a change of an array takes x.
conversion conversion_of(change_kind kind, const value& x) noexcept;

// The indices of one slice. x[i][j, k] may be one slice of three: the last two are in brackets of their own, those
// before in one each.
struct index_group {
  std::uint32_t size;
  std::uint32_t last; // in the last brackets
};

// One change. `release` drops variables that the program does not read any more, when they stand in the way.
class change {
 public:
  change(change_kind kind, std::string_view name, void (*release)(void*), void* context) noexcept
      : m_kind(kind), m_name(name), m_release(release), m_context(context) {}

  // Changes what `variable` holds at the end of a path: `indices` in groups, x[i, j][k] being a group of two and one of
  // one. `x` is taken over: it may be a view of what is changed. value_error when the change is refused or impossible.
  void apply(value& variable, std::span<const value> indices, std::span<const index_group> groups, value x);

 private:
  struct path { // what is left of it
    std::span<const value> indices;
    index_group here; // the next ones
    std::span<const index_group> groups;
  };

  void follow(value& v, path rest, value& x);
  void change_array(value& v, path rest, value& x);
  void set_item(value& container, const value& index, value& x);
  void end_here(value& v, value& x);
  void require_alone(const value& v);

  change_kind m_kind;
  std::string_view m_name;
  void (*m_release)(void*);
  void* m_context;
};

// Whether nobody else holds this array, list or dict.
bool is_alone(const value& v) noexcept;

} // namespace treadle::tree
