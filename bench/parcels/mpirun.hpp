// Programs that start themselves again, by an mpirun.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <unistd.h>
#include <vector>

namespace parcels {

/// This program as two processes of the mpirun. Returns only where that cannot be: the exit code.
inline int start_two(const char* mpirun, std::vector<const char*> options, char** argv) {
  setenv("OMPI_ALLOW_RUN_AS_ROOT", "1", 1);
  setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1", 1);
  options.insert(options.begin(), mpirun);
  for (const char* const word : {"-n", "2", static_cast<const char*>(argv[0]), static_cast<const char*>(nullptr)})
    options.push_back(word);
  execvp(mpirun, const_cast<char* const*>(options.data()));
  std::perror(mpirun);
  return 77;
}

} // namespace parcels
