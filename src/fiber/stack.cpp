#include "fiber/stack.hpp"

#include "fiber/idle_stacks.hpp"

#include <algorithm>
#include <cerrno>
#include <pthread.h>
#include <sys/mman.h>
#include <system_error>
#include <unistd.h>

namespace treadle::detail {
namespace {

std::size_t whole_pages(std::size_t bytes) noexcept { return (bytes + page_bytes() - 1) / page_bytes() * page_bytes(); }

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
[[noreturn]] void fail(const char* call) {
  throw std::system_error(errno, std::generic_category(),
                          std::string("cannot allocate a task stack (") + call +
                              "; the number of suspended tasks is bounded by memory and by vm.max_map_count / 2)");
}

} // namespace

std::size_t page_bytes() noexcept {
  static const std::size_t bytes = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return bytes;
}

stack allocate_stack(std::size_t bytes) {
  constexpr std::size_t k_bytes_min = 16 * 1024, k_guard_bytes = 64 * 1024;
  const std::size_t guard = whole_pages(k_guard_bytes), mapping = whole_pages(std::max(bytes, k_bytes_min)) + guard;
  if (const stack idle = take_idle_stack(mapping); idle.mapping) return idle;
  stack made;
  const char* failed = map(mapping, guard, made);
  if (failed && drop_idle_stacks()) failed = map(mapping, guard, made); // those of other sizes
  if (failed) fail(failed);
  return made;
}

void free_stack(stack s) noexcept {
  if (!keep_idle_stack(s)) munmap(s.mapping, s.mapping_bytes);
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
