#include "in_tbb.hpp"
#include "start_stop/config.hpp"

#include <tbb/global_control.h>
#include <tbb/task_group.h>

using namespace start_stop_bench;

int main(int argc, char** argv) {
  const unsigned workers = bench::workers_from(argc, argv);
  report([=] {
    tbb::task_scheduler_handle handle(tbb::attach{});
    long result = 0;
    bench::in_tbb(workers, [&] {
      tbb::task_group group;
      group.run([&] { result = 1; });
      group.wait();
    });
    tbb::finalize(handle);
    return result;
  });
}
