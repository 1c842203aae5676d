#pragma once

#include <utility>

namespace treadle::detail {

/// Owning pointer to an object that counts its own references (`add_ref()`, `release()`, found by member call).
template <class T>
class intrusive_ptr {
 public:
  constexpr intrusive_ptr() noexcept = default;
  constexpr intrusive_ptr(std::nullptr_t) noexcept {}

  /// Takes over one reference that the caller holds.
  static intrusive_ptr adopt(T* pointer) noexcept {
    intrusive_ptr result;
    result.m_pointer = pointer;
    return result;
  }
  /// Adds a reference of its own.
  static intrusive_ptr share(T* pointer) noexcept {
    if (pointer) pointer->add_ref();
    return adopt(pointer);
  }

  intrusive_ptr(const intrusive_ptr& other) noexcept : m_pointer(other.m_pointer) {
    if (m_pointer) m_pointer->add_ref();
  }
  intrusive_ptr(intrusive_ptr&& other) noexcept : m_pointer(std::exchange(other.m_pointer, nullptr)) {}
  intrusive_ptr& operator=(intrusive_ptr other) noexcept {
    std::swap(m_pointer, other.m_pointer);
    return *this;
  }
  ~intrusive_ptr() {
    if (m_pointer) m_pointer->release();
  }

  T* get() const noexcept { return m_pointer; }
  T* operator->() const noexcept { return m_pointer; }
  T& operator*() const noexcept { return *m_pointer; }
  explicit operator bool() const noexcept { return m_pointer != nullptr; }

  /// Gives the reference up without releasing it.
  T* detach() noexcept { return std::exchange(m_pointer, nullptr); }

 private:
  T* m_pointer = nullptr;
};

} // namespace treadle::detail
