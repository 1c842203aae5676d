// Over OpenMPI, whose mpirun binds each process to a core by default: this one's has a second thread.
#include "treadle.hpp"

int main(int argc, char** argv) {
  return parcels::run_by("mpirun.openmpi", {"--bind-to", "none", "--oversubscribe"}, "OMPI_COMM_WORLD_RANK", argc,
                         argv);
}
