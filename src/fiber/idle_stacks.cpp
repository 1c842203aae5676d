#include "fiber/idle_stacks.hpp"

#include "base/fork.hpp"

#include <treadle/detail/config.hpp>

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
    char* const lowest = static_cast<char*>(s.limit());
    const std::ptrdiff_t rarely_used = static_cast<char*>(s.top()) - k_kept_bytes - lowest;
    if (rarely_used > 0) madvise(lowest, static_cast<std::size_t>(rarely_used), MADV_DONTNEED);
    const std::scoped_lock held(m_lock);
    size_class* const to = class_of(s.mapping_bytes);
    if (!to || m_count == k_most) return false;
    to->latest = ::new (static_cast<void*>(static_cast<idle*>(s.top()) - 1)) idle{s, to->latest};
    ++m_count;
    return true;
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

  size_class* class_of(std::size_t mapping_bytes) noexcept {
    for (size_class& each : m_classes) {
      if (each.mapping_bytes == 0) each.mapping_bytes = mapping_bytes;
      if (each.mapping_bytes == mapping_bytes) return &each;
    }
    return nullptr; // a program with this many sizes maps those of the last ones anew
  }

  static constexpr int k_most = 8192; // 64 MiB of memory, where tasks touch two pages
  static constexpr std::ptrdiff_t k_kept_bytes = 16 * 1024;

  fork_safe_mutex m_lock;
  std::array<size_class, 4> m_classes;
  int m_count = 0;
};

} // namespace

stack take_idle_stack(std::size_t mapping_bytes) noexcept { return idle_stacks::of_process().take(mapping_bytes); }
bool keep_idle_stack(stack s) noexcept { return idle_stacks::of_process().give(s); }
bool drop_idle_stacks() noexcept { return idle_stacks::of_process().drop_all(); }

} // namespace treadle::detail
