#pragma once

#include <treadle/detail/atomic.hpp>
#include <treadle/detail/task_name.hpp>

#include <new>
#include <type_traits>
#include <utility>

namespace treadle::detail {

struct tuned_site;

/// One place in the code that creates tasks, for launch::adaptive. What every call reads and writes; relaxed, because
/// an update that is lost to a race costs accuracy and nothing else. The rest lies in a tuned_site (control/site.cpp).
class site {
 public:
  bool prefers_inline() const noexcept { return m_inline.load(order::relaxed) != 0; }
  /// The first executions are all measured, then one in 64: a place may change its behaviour.
  bool wants_sample() noexcept {
    const std::uint32_t left = m_until_sample.load(order::relaxed);
    if (left != 0) m_until_sample.store(left - 1, order::relaxed);
    return left == 0;
  }
  /// Before an execution that is measured: decides anew how this and the next ones run.
  void begin_sample(task_name name) noexcept;
  void record(double ns, bool blocked) noexcept;
  double expected_ns() const noexcept; ///< of an execution

 private:
  atomic<std::uint32_t> m_until_sample{0};
  atomic<unsigned char> m_inline{0};
  atomic<tuned_site*> m_tuned{nullptr};
};

/// One site per callable type: each lambda expression in the source is a type of its own.
template <class F>
inline constinit site site_of{};

/// Functions of one type, which the type does not tell apart: a site for each of the first 16 that are called, for
/// ever.
template <class Function>
class function_sites {
 public:
  /// Lock-free. `otherwise`: the site of further ones.
  site& find(Function called, site& otherwise) noexcept {
    for (atomic<entry*>& slot : m_slots) {
      entry* there = slot.load(order::acquire); // pairs with the exchange
      if (!there) {
        entry* const made = new (std::nothrow) entry{called};
        if (!made) return otherwise;
        if (slot.compare_exchange(there, made, order::acq_rel, order::acquire)) return made->where;
        delete made;
      }
      if (there->called == called) return there->where;
    }
    return otherwise;
  }

 private:
  struct entry {
    Function called;
    site where{};
  };
  atomic<entry*> m_slots[16]{};
};
template <class Call, class Function>
inline constinit function_sites<Function> function_sites_of{};

/// Of what is called, with its arguments `Call`.
template <class Call, class F>
site& site_for(const F& called) noexcept {
  using function = std::decay_t<const F&>;
  if constexpr (std::is_pointer_v<function> || std::is_member_pointer_v<function>)
    return function_sites_of<Call, function>.find(called, site_of<Call>);
  else
    return site_of<Call>;
}

/// Measures from construction to destruction, and whether the task suspended in between.
class site_timer {
 public:
  explicit site_timer(site& where) noexcept;
  ~site_timer();
  site_timer(const site_timer&) = delete;
  site_timer& operator=(const site_timer&) = delete;

 private:
  site& m_site;
  std::int64_t m_start_ticks;
  std::int64_t m_start_cpu_ns; // of the thread; 0: not asked for
  std::uint64_t m_suspensions;
};

/// A callable that reports to its site.
template <class F>
struct sampled {
  site* where;
  F function;

  decltype(auto) operator()() {
    site_timer timer(*where);
    return std::move(function)();
  }
};

} // namespace treadle::detail
