#include "base/sync/park.hpp"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

namespace treadle::detail {

namespace {

void wait(int operation, atomic<std::uint32_t>& word, std::uint32_t expected, std::int64_t timeout_ns) noexcept {
  timespec timeout{};
  if (timeout_ns >= 0) {
    timeout.tv_sec = timeout_ns / 1'000'000'000;
    timeout.tv_nsec = timeout_ns % 1'000'000'000;
  }
  syscall(SYS_futex, word.address(), operation, expected, timeout_ns >= 0 ? &timeout : nullptr, nullptr, 0);
}

void wake(int operation, atomic<std::uint32_t>& word, int count) noexcept {
  syscall(SYS_futex, word.address(), operation, count, nullptr, nullptr, 0);
}

} // namespace

void futex_wait(atomic<std::uint32_t>& word, std::uint32_t expected, std::int64_t timeout_ns) noexcept {
  wait(FUTEX_WAIT_PRIVATE, word, expected, timeout_ns);
}
void futex_wake(atomic<std::uint32_t>& word, int count) noexcept { wake(FUTEX_WAKE_PRIVATE, word, count); }

void shared_futex_wait(atomic<std::uint32_t>& word, std::uint32_t expected, std::int64_t timeout_ns) noexcept {
  wait(FUTEX_WAIT, word, expected, timeout_ns);
}
void shared_futex_wake(atomic<std::uint32_t>& word, int count) noexcept { wake(FUTEX_WAKE, word, count); }

} // namespace treadle::detail
