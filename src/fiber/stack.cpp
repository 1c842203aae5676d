#include "fiber/stack.hpp"

#include <cerrno>
#include <pthread.h>
#include <sys/mman.h>
#include <system_error>
#include <unistd.h>

namespace treadle::detail {
namespace {

std::size_t page_bytes() noexcept {
  static const std::size_t bytes = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return bytes;
}

[[noreturn]] void fail(const char* call) {
  throw std::system_error(errno, std::generic_category(),
                          std::string("cannot allocate a task stack (") + call +
                              "; the number of suspended tasks is bounded by memory and by vm.max_map_count / 2)");
}

} // namespace

stack allocate_stack(std::size_t bytes) {
  constexpr std::size_t k_bytes_min = 16 * 1024, k_guard_bytes = 64 * 1024;
  const std::size_t page = page_bytes();
  const std::size_t usable = ((bytes < k_bytes_min ? k_bytes_min : bytes) + page - 1) / page * page;
  stack s;
  s.guard_bytes = (k_guard_bytes + page - 1) / page * page;
  s.mapping_bytes = usable + s.guard_bytes;
  s.mapping = mmap(nullptr, s.mapping_bytes, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  if (s.mapping == MAP_FAILED) fail("mmap");
  if (mprotect(s.mapping, s.guard_bytes, PROT_NONE) != 0) {
    const int error = errno;
    munmap(s.mapping, s.mapping_bytes);
    errno = error;
    fail("mprotect");
  }
  return s;
}

void free_stack(stack s) noexcept { munmap(s.mapping, s.mapping_bytes); }

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
