#pragma once

#include "compat/ocr/api.hpp"

#include <treadle/detail/atomic.hpp>

#include <cstdint>

namespace treadle::ocr {

/// How many there are, and what makes them differ.
struct edt_shape {
  ocrEdt_t function;
  const char* name; ///< null: none; kept until the program ends, for EDTs that outlive their template
  std::uint32_t paramc, depc;
};

/// What EDTs are made from; constant. Read without the lock, which has to be checked: a program that destroys a
/// template too early is in error, but must not call what is no function.
class edt_template {
 public:
  explicit edt_template(const edt_shape& shape) noexcept { set(shape); }

  /// release: who still reads the one that was in this place before, and sees a word of this one, sees that it is gone.
  void set(const edt_shape& shape) noexcept {
    m_function.store(shape.function, detail::order::release);
    m_name.store(shape.name, detail::order::release);
    m_paramc.store(shape.paramc, detail::order::release);
    m_depc.store(shape.depc, detail::order::release);
  }
  /// False when it is gone. is_alive() is asked after the words were read; it is false before anything else is made in
  /// this place.
  template <class IsAlive>
  bool read(edt_shape& shape, IsAlive is_alive) const noexcept {
    // acquire: is_alive() looks after this.
    shape.function = m_function.load(detail::order::acquire);
    shape.name = m_name.load(detail::order::acquire);
    shape.paramc = m_paramc.load(detail::order::acquire);
    shape.depc = m_depc.load(detail::order::acquire);
    return is_alive();
  }

 private:
  detail::atomic<ocrEdt_t> m_function;
  detail::atomic<const char*> m_name;
  detail::atomic<std::uint32_t> m_paramc, m_depc;
};

} // namespace treadle::ocr
