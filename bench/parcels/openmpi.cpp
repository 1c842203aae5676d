#include "mpi.hpp"

int main(int argc, char** argv) { return parcels::run(argc, argv, "mpirun.openmpi", "OMPI_COMM_WORLD_RANK"); }
