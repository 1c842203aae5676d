#include "parcel/transport/as_started.hpp"

#include "base/variable.hpp"
#include "parcel/transport/shared_memory.hpp"

#include <stdexcept>
#include <string>
#include <string_view>

#include <dlfcn.h>

namespace treadle::detail {
namespace {

struct known_mpi {
  const char *name, *library;
  const char* size; ///< the variable with which its mpirun tells how many there are
};
constexpr known_mpi k_openmpi{"openmpi", "libtreadle_openmpi.so", "OMPI_COMM_WORLD_SIZE"};
constexpr known_mpi k_mpich{"mpich", "libtreadle_mpich.so", "PMI_SIZE"};

/// Empty: none.
std::string library_as_started() {
  const std::string_view chosen = variable("TREADLE_MPI");
  for (const known_mpi& one : {k_openmpi, k_mpich}) {
    if (chosen == one.name) return one.library;
    const std::string_view size = variable(one.size);
    if (chosen.empty() && !size.empty() && size != "1") return one.library;
  }
  return std::string(chosen);
}

/// Where this code is. Programs have where the library lies in their search path (cmake/TreadleInstall.cmake); a Python
/// package has it in a folder beside the code, and a program that was copied together with it may have it there, too.
std::string folder_of_this() {
  Dl_info found{};
  if (dladdr(reinterpret_cast<const void*>(&transport_as_started), &found) == 0 || !found.dli_fname) return ".";
  const std::string_view path = found.dli_fname;
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? "." : std::string(path.substr(0, slash));
}

std::unique_ptr<transport> load(const std::string& library) {
  const std::string beside = folder_of_this();
  std::string complaint;
  for (const std::string& path :
       {library, beside + '/' + library, beside + "/../lib/" + library, beside + "/bin/" + library}) {
    // Global: what MPI itself loads expects its symbols there. Never closed: MPI does not end and begin again.
    if (void* const loaded = dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL)) {
      if (void* const open = dlsym(loaded, "treadle_open_transport"))
        return std::unique_ptr<transport>(reinterpret_cast<transport* (*)()>(open)());
    }
    if (complaint.empty()) complaint = dlerror();
    if (library.find('/') != std::string::npos) break; // it says where
  }
  throw std::runtime_error("localities: the program was started by mpirun, and this library cannot be loaded: " +
                           complaint);
}

} // namespace

std::unique_ptr<transport> transport_as_started() {
  if (const std::string_view place = variable("TREADLE_LOCALITIES"); !place.empty())
    return open_shared_memory(parse_shared_memory_place(std::string(place)));
  const std::string library = library_as_started();
  return library.empty() ? nullptr : load(library);
}

} // namespace treadle::detail
