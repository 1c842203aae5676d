#include "fiber/idle_stacks.hpp"

#include "base/fork.hpp"
#include "base/rng.hpp"

#include <treadle/detail/config.hpp>

#include <algorithm>
#include <array>
#include <mutex>
#include <new>
#include <sys/mman.h>
#include <utility>

namespace treadle::detail {
namespace {

class idle_stacks {
 public:
  static idle_stacks& of_process() {
    static idle_stacks& all = *new idle_stacks; // tasks may end after static objects have
    return all;
  }

  stack take(std::size_t mapping_bytes) noexcept {
    const std::scoped_lock held(m_lock);
    size_class* const from = class_of(mapping_bytes);
    if (!from || !from->latest) return {};
    --m_count;
    return std::exchange(from->latest, from->latest->next)->of;
  }

  bool give(stack s) noexcept {
    if constexpr (k_sanitized) return false; // a sanitizer knows what is valid in a stack by its mapping
    {
      const std::scoped_lock held(m_lock);
      if (--m_until_look > 0) return add(s);
    }
    const bool was_deep = give_back_rarely_used(s);
    const std::scoped_lock held(m_lock);
    m_looks = was_deep ? k_looks_after_deep : std::max(m_looks - 1, 0);
    m_until_look = m_looks > 0 ? 1 : 1 + static_cast<int>(m_random.below(k_from_look_to_look_max));
    return add(s);
  }

  bool drop_all() noexcept {
    const std::scoped_lock held(m_lock);
    for (size_class& each : m_classes)
      while (each.latest) {
        const stack s = std::exchange(each.latest, each.latest->next)->of;
        munmap(s.mapping, s.mapping_bytes);
      }
    return std::exchange(m_count, 0) != 0;
  }

 private:
  struct idle { // at the top of the stack itself
    stack of;
    idle* next;
  };
  struct size_class {
    std::size_t mapping_bytes = 0;
    idle* latest = nullptr;
  };

  bool add(stack s) noexcept {
    size_class* const to = class_of(s.mapping_bytes);
    if (!to || m_count == k_most) return false;
    to->latest = ::new (static_cast<void*>(static_cast<idle*>(s.top()) - 1)) idle{s, to->latest};
    ++m_count;
    return true;
  }
  /// False when there was nothing. Not under the lock: two system calls.
  static bool give_back_rarely_used(stack s) noexcept {
    char* const lowest = static_cast<char*>(s.limit());
    const std::ptrdiff_t rarely_used = static_cast<char*>(s.top()) - k_kept_bytes - lowest;
    if (rarely_used <= 0) return false;
    // Of the pages below what is kept. Who comes deeper comes through them, but for an array of more than 64 pages.
    std::array<unsigned char, 64> in_use{};
    const std::size_t pages = static_cast<std::size_t>(rarely_used) / page_bytes(),
                      looked_at = std::min(pages, in_use.size());
    if (mincore(lowest + (pages - looked_at) * page_bytes(), looked_at * page_bytes(), in_use.data()) != 0)
      return false;
    if (std::ranges::none_of(in_use, [](unsigned char page) { return (page & 1U) != 0; })) return false;
    return madvise(lowest, pages * page_bytes(), MADV_DONTNEED) == 0;
  }
  size_class* class_of(std::size_t mapping_bytes) noexcept {
    for (size_class& each : m_classes) {
      if (each.mapping_bytes == 0) each.mapping_bytes = mapping_bytes;
      if (each.mapping_bytes == mapping_bytes) return &each;
    }
    return nullptr; // a program with this many sizes maps those of the last ones anew
  }

  static constexpr int k_most = 8192; // 64 MiB of memory, where tasks touch two pages
  static constexpr std::ptrdiff_t k_kept_bytes = 16 * 1024;
  // A system call for each stack would take longer than most tasks, and to give memory back interrupts the other cores
  // even where there is none. So one in 16 is looked at, by chance, and where that was deep, each of the next 256.
  // Where all tasks come that deep fewer than 31 stay so; where one in a hundred does, one stack in forty.
  static constexpr int k_from_look_to_look_max = 31, k_looks_after_deep = 256;

  fork_safe_mutex m_lock;
  std::array<size_class, 4> m_classes;
  int m_count = 0, m_until_look = 1, m_looks = 0;
  xorshift m_random{1};
};

} // namespace

stack take_idle_stack(std::size_t mapping_bytes) noexcept { return idle_stacks::of_process().take(mapping_bytes); }
bool keep_idle_stack(stack s) noexcept { return idle_stacks::of_process().give(s); }
bool drop_idle_stacks() noexcept { return idle_stacks::of_process().drop_all(); }

} // namespace treadle::detail
