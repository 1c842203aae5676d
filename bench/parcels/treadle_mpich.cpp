// Over MPICH.
#include "treadle.hpp"

int main(int argc, char** argv) { return parcels::run_by("mpirun.mpich", {}, "PMI_RANK", argc, argv); }
