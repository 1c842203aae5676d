#pragma once

#include <cstddef>

namespace treadle::detail {

/// What a task is, for people: its annotation, or the type of its function. Not terminated by a null character.
struct task_name {
  const char* text;
  std::size_t bytes;
};

constexpr task_name name_from(const char* text) noexcept { return {text, __builtin_strlen(text)}; }

/// "F" out of "... task_name_of() [with F = F]" (GCC) or "... [F = F]" (Clang).
template <class F>
constexpr task_name type_name() noexcept {
  task_name whole = name_from(__PRETTY_FUNCTION__);
  while (!(whole.text[0] == 'F' && whole.text[1] == ' ' && whole.text[2] == '=')) ++whole.text, --whole.bytes;
  return {whole.text + 4, whole.bytes - 5};
}

template <class F>
task_name name_of(const F& function) noexcept {
  if constexpr (requires { function.annotation(); })
    return name_from(function.annotation());
  else
    return type_name<F>();
}

} // namespace treadle::detail
