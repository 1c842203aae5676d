// Which transport fits how this process was started.
#pragma once

#include "parcel/transport/transport.hpp"

#include <memory>

namespace treadle::detail {

/// Shared memory where TREADLE_LOCALITIES says so, MPI where the process is one of several that mpirun has started
/// (libtreadle_openmpi.so or libtreadle_mpich.so, found by the dynamic linker or beside the program), null where it is
/// alone. TREADLE_MPI=openmpi, =mpich or =FILE chooses where the environment does not tell which MPI it is.
///
/// Throws std::invalid_argument for variables that make no sense, std::runtime_error where the library cannot be
/// loaded.
std::unique_ptr<transport> transport_as_started();

} // namespace treadle::detail
