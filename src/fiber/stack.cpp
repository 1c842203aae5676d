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

void* stack::limit() const noexcept { return static_cast<char*>(mapping) + page_bytes(); }

stack allocate_stack(std::size_t bytes) {
  constexpr std::size_t k_bytes_min = 16 * 1024;
  const std::size_t page = page_bytes();
  const std::size_t usable = ((bytes < k_bytes_min ? k_bytes_min : bytes) + page - 1) / page * page;
  stack s;
  s.mapping_bytes = usable + page;
  s.mapping = mmap(nullptr, s.mapping_bytes, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  if (s.mapping == MAP_FAILED) fail("mmap");
  if (mprotect(s.mapping, page, PROT_NONE) != 0) {
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
  // Reported without the guard page; keep the meaning of `limit()`.
  s.mapping = static_cast<char*>(lowest) - page_bytes();
  s.mapping_bytes = bytes + page_bytes();
  return s;
}

} // namespace treadle::detail
