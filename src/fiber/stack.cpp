#include "fiber/stack.hpp"

#include "base/fork.hpp"

#include <treadle/detail/config.hpp>

#include <algorithm>
#include <array>
#include <cerrno>
#include <mutex>
#include <new>
#include <pthread.h>
#include <sys/mman.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace treadle::detail {
namespace {

std::size_t whole_pages(std::size_t bytes) noexcept {
  static const std::size_t page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return (bytes + page - 1) / page * page;
}

/// The name of the call that failed, with its errno.
const char* map(std::size_t mapping_bytes, std::size_t guard_bytes, stack& made) noexcept {
  void* const mapping = mmap(nullptr, mapping_bytes, PROT_READ | PROT_WRITE,
                             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  if (mapping == MAP_FAILED) return "mmap";
  if (mprotect(mapping, guard_bytes, PROT_NONE) != 0) {
    const int error = errno;
    munmap(mapping, mapping_bytes);
    errno = error;
    return "mprotect";
  }
  made = {mapping, mapping_bytes, guard_bytes};
  return nullptr;
}
void unmap(stack s) noexcept { munmap(s.mapping, s.mapping_bytes); }

[[noreturn]] void fail(const char* call) {
  throw std::system_error(errno, std::generic_category(),
                          std::string("cannot allocate a task stack (") + call +
                              "; the number of suspended tasks is bounded by memory and by vm.max_map_count / 2)");
}

/// Stacks that were given back, for the next tasks: where thousands of them suspend again and again, the system calls
/// and page faults of new stacks take longer than the tasks. Of the whole process.
class idle_stacks {
 public:
  static idle_stacks& of_process() {
    static idle_stacks& all = *new idle_stacks; // tasks may end after static objects have
    return all;
  }

  /// One of that size, without a mapping when there is none.
  stack take(std::size_t mapping_bytes) noexcept {
    const std::scoped_lock held(m_lock);
    size_class* const from = class_of(mapping_bytes);
    if (!from || !from->latest) return {};
    --m_count;
    return std::exchange(from->latest, from->latest->next)->of;
  }

  /// False when there are enough.
  bool give(stack s) noexcept {
    if constexpr (k_sanitized) return false; // a sanitizer knows what is valid in a stack by its mapping
    // What few tasks reach goes back to the system.
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

  /// Back to the system; false when there were none.
  bool drop_all() noexcept {
    const std::scoped_lock held(m_lock);
    for (size_class& each : m_classes)
      while (each.latest) unmap(std::exchange(each.latest, each.latest->next)->of);
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
    return nullptr; // a program with so many sizes maps those of the last ones anew
  }

  static constexpr int k_most = 8192; // 64 MiB of memory, where tasks touch two pages
  static constexpr std::ptrdiff_t k_kept_bytes = 16 * 1024;

  fork_safe_mutex m_lock;
  std::array<size_class, 4> m_classes;
  int m_count = 0;
};

} // namespace

stack allocate_stack(std::size_t bytes) {
  constexpr std::size_t k_bytes_min = 16 * 1024, k_guard_bytes = 64 * 1024;
  const std::size_t guard = whole_pages(k_guard_bytes), mapping = whole_pages(std::max(bytes, k_bytes_min)) + guard;
  if (const stack idle = idle_stacks::of_process().take(mapping); idle.mapping) return idle;
  stack made;
  const char* failed = map(mapping, guard, made);
  if (failed && idle_stacks::of_process().drop_all()) failed = map(mapping, guard, made); // those of other sizes
  if (failed) fail(failed);
  return made;
}

void free_stack(stack s) noexcept {
  if (!idle_stacks::of_process().give(s)) unmap(s);
}

stack thread_stack() noexcept {
  pthread_attr_t attributes;
  stack s;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return s;
  void* lowest = nullptr;
  std::size_t bytes = 0;
  pthread_attr_getstack(&attributes, &lowest, &bytes);
  pthread_attr_destroy(&attributes);
  s.mapping = lowest; // reported without the guard page
  s.mapping_bytes = bytes;
  return s;
}

} // namespace treadle::detail
