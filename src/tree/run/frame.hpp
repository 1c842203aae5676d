// Activation records of PhySL functions: the variables of one call.
#pragma once

#include <treadle/arrays/value.hpp>
#include <treadle/detail/atomic.hpp>
#include <treadle/detail/spinlock.hpp>

#include <cstdint>
#include <span>

namespace treadle::tree {

class run_state;

// How a statement ended, as the payload of a value of kind `signal`.
enum class signal : std::int64_t { undefined, break_loop, continue_loop, return_value };

inline value make_signal(signal s) noexcept { return value::signal(static_cast<std::int64_t>(s)); }
inline bool is_signal(const value& v) noexcept { return v.kind() == value_kind::signal; }
inline bool is_signal(const value& v, signal s) noexcept {
  return is_signal(v) && v.integer() == static_cast<std::int64_t>(s);
}

// A variable. `lock` guards it only where the compiler found that several tasks may use and write it.
struct slot {
  value v = make_signal(signal::undefined);
  detail::spinlock lock;
  bool in_place = false; // tasks write parts of the array, disjoint ones: no copy-on-write
};

// Counted by closures and asynchronous tasks; a call owns one reference. A frame keeps its parent alive only once it
// was captured itself, because a call never outlives the calls around it.
class frame {
 public:
  static frame* create(frame* parent, std::uint32_t slots); // count 1
  // A frame for a part of a loop that runs in `f`: the same variables, of which these have the same values.
  static frame* create_for_part(frame& f, std::span<const std::uint32_t> copied);
  void release() noexcept;

  // Takes a reference that may outlive the call, and registers the frame with the run for the final clean-up.
  frame* capture(run_state& run);

  slot& at(std::uint32_t i) noexcept { return reinterpret_cast<slot*>(this + 1)[i]; }
  frame& ancestor(std::uint32_t levels) noexcept {
    frame* f = this;
    while (levels-- > 0) f = f->m_parent;
    return *f;
  }
  void clear() noexcept; // drops all values

  value result; // of return(e), on its way to the caller

 private:
  friend class run_state;
  frame(frame* parent, std::uint32_t slots) noexcept : m_parent(parent), m_slots(slots) {}
  ~frame() = default;
  void destroy() noexcept;

  frame* m_parent;
  std::uint32_t m_slots;
  detail::atomic<std::uint32_t> m_references{1};
  detail::atomic<bool> m_captured{false};
  run_state* m_run = nullptr; // once captured: whose list it is in
  frame *m_previous = nullptr, *m_next = nullptr;
};

} // namespace treadle::tree
