#include "mpi.hpp"

int main(int argc, char** argv) { return parcels::run(argc, argv, "mpirun.mpich", "PMI_RANK"); }
