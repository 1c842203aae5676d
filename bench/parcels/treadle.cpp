// Over the memory that two processes of a machine share.
#include "treadle.hpp"

#include <sys/wait.h>

int main(int argc, char** argv) {
  if (!std::getenv("TREADLE_LOCALITIES")) { // starts itself twice, as treadle run -n does
    std::string file = "/dev/shm/treadle-bench-XXXXXX";
    close(mkstemp(file.data()));
    int code = 0;
    for (int rank = 0; rank < 2; ++rank) {
      if (fork() != 0) continue;
      setenv("TREADLE_LOCALITIES", (file + ":" + std::to_string(rank) + ":2").c_str(), 1);
      setenv("TREADLE_WORKERS", std::to_string(bench::workers_from(argc, argv)).c_str(), 1);
      execv(argv[0], argv);
      _exit(127);
    }
    for (int rank = 0; rank < 2; ++rank) {
      int status = 0;
      wait(&status);
      if (status != 0) code = 1;
    }
    unlink(file.c_str());
    return code;
  }
  return parcels::run();
}
