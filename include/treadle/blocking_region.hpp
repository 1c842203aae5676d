#pragma once

namespace treadle {

namespace detail {
class worker;
}

/// While it lives, the calling task blocks in the operating system or elsewhere: reads a file, waits for a process,
/// calls a library that sleeps. Its worker's place is lent to another one, made for that if need be (at most 64 for
/// each pool), so that as many workers as may be active go on; at the end it is taken back, and another worker leaves
/// when its task ends, forks, loops or waits.
///
/// For what takes 20 us or more: lending costs some microseconds. Waiting for tasks needs no region, and ends it, as
/// whatever suspends the task, or a coroutine in it, does. Outside of tasks it does nothing. Regions may be nested; the
/// outermost counts.
class blocking_region {
 public:
  blocking_region() noexcept;
  ~blocking_region();
  blocking_region(const blocking_region&) = delete;
  blocking_region& operator=(const blocking_region&) = delete;
  static void* operator new(decltype(sizeof 0)) = delete; // it belongs to a task's stack

 private:
  detail::worker* m_lender = nullptr; // null: nothing was lent here
};

} // namespace treadle
