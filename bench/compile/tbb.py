"""oneTBB has no futures; a task group is the nearest."""

from _compile import main

main("""
#include <tbb/task_group.h>
int main() {
  int result = 0;
  tbb::task_group group;
  group.run([&] { result = 42; });
  group.wait();
  return result - 42;
}
""")
