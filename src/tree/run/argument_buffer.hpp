#pragma once

#include <treadle/arrays/value.hpp>

#include <cstdint>
#include <memory>
#include <span>
#include <utility>

namespace treadle::tree {

// The operands of one strict node: a few in place, more on the heap. Borrowed ones are forgotten, not released.
class argument_buffer {
 public:
  explicit argument_buffer(std::size_t count) : m_count(count) {
    if (count > k_inline) m_heap = std::make_unique<value[]>(count);
  }
  ~argument_buffer() {
    for (std::uint32_t left = m_borrowed; left != 0; left &= left - 1)
      data()[static_cast<std::size_t>(__builtin_ctz(left))].forget();
  }
  argument_buffer(const argument_buffer&) = delete;
  argument_buffer& operator=(const argument_buffer&) = delete;

  std::span<value> all() noexcept { return {data(), m_count}; }
  void borrow(std::size_t i, const value& v) noexcept {
    fill(i, value::alias(v));
    m_borrowed |= 1u << i;
  }
  void own(std::size_t i, value v) noexcept {
    fill(i, std::move(v));
    if (i < 32) m_owned |= 1u << i;
  }
  void share(std::size_t i, value v) noexcept { fill(i, std::move(v)); }
  std::uint32_t owned() const noexcept { return m_owned; }

 private:
  static constexpr std::size_t k_inline = 4;
  value* data() noexcept { return m_heap ? m_heap.get() : m_inline; }
  void fill(std::size_t i, value&& v) noexcept { std::construct_at(data() + i, std::move(v)); } // there is nil so far

  value m_inline[k_inline];
  std::unique_ptr<value[]> m_heap;
  std::size_t m_count;
  std::uint32_t m_borrowed = 0, m_owned = 0;
};

} // namespace treadle::tree
