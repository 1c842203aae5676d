// What happens when the queues of a worker cannot grow.

// The operators below cannot replace some of those in LLVM's thread sanitizer; GCC's build has the tests.
#include <treadle/detail/config.hpp>
#if !defined(__clang__) || !defined(TREADLE_TSAN)

#include "task/runtime_fixture.hpp"

#include <treadle/task_group.hpp>
#include <treadle/treadle.hpp>

#include <atomic>
#include <memory>
#include <new>
#include <vector>

namespace {
std::atomic<bool> g_no_arrays{false};
}

// The buffers of the deques are the arrays that the library allocates.
void* operator new[](std::size_t bytes) {
  if (g_no_arrays) throw std::bad_alloc();
  return ::operator new(bytes);
}
void operator delete[](void* memory) noexcept { ::operator delete(memory); }
void operator delete[](void* memory, std::size_t) noexcept { ::operator delete(memory); }

namespace treadle {
namespace {

class no_memory_test : public testing::on_workers {
 protected:
  void TearDown() override {
    g_no_arrays = false;
    on_workers::TearDown();
  }
};
TREADLE_ON_WORKERS(no_memory_test);

TEST_P(no_memory_test, more_tasks_than_the_queue_holds) {
  async([] {
    g_no_arrays = true;
    std::atomic<int> ran{0};
    task_group group;
    for (int i = 0; i < 10'000; ++i) group.run([&] { ++ran; });
    std::vector<future<void>> all;
    for (int i = 0; i < 10'000; ++i) all.push_back(async([&] { ++ran; }));
    for (auto& f : all) f.get();
    group.wait();
    EXPECT_EQ(ran, 20'000);
  }).get();
}

TEST_P(no_memory_test, more_waiting_tasks_than_the_queue_holds) {
  std::atomic<int> ran{0};
  async([&] {
    promise<void> gate;
    const shared_future<void> opened = gate.get_future().share();
    std::vector<future<void>> all;
    for (int i = 0; i < 1000; ++i) {
      all.push_back(async(launch::fork, [&ran, opened] {
        opened.wait();
        ++ran;
      }));
    }
    g_no_arrays = true;
    gate.set_value();
    for (auto& f : all) f.get();
  }).get();
  EXPECT_EQ(ran, 1000);
}

} // namespace
} // namespace treadle

#endif
