#include "parcel/transport/as_started.hpp"

#include "base/variable.hpp"
#include "parcel/transport/shared_memory.hpp"

#include <cstddef>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

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

/// Where the program itself looks for libraries: dlopen() does that for its caller, which is a sanitizer's instead
/// where there is one.
std::vector<std::string> folders_of_program() {
  std::vector<std::string> found;
  void* const program = dlopen(nullptr, RTLD_NOW);
  Dl_serinfo size{};
  if (!program || dlinfo(program, RTLD_DI_SERINFOSIZE, &size) != 0) return found;
  const auto memory = std::make_unique<std::byte[]>(size.dls_size);
  auto* const all = new (memory.get()) Dl_serinfo(size);
  if (dlinfo(program, RTLD_DI_SERINFO, all) != 0) return found;
  const Dl_serpath* const folders = all->dls_serpath;
  for (unsigned i = 0; i < all->dls_cnt; ++i) found.emplace_back(folders[i].dls_name);
  return found;
}

std::unique_ptr<transport> load(const std::string& library) {
  std::vector<std::string> paths{library};
  const std::string beside = folder_of_this();
  for (const char* const from_there : {"/", "/../lib/", "/bin/"}) paths.push_back(beside + from_there + library);
  for (const std::string& folder : folders_of_program()) paths.push_back(folder + '/' + library);
  std::string complaint;
  for (const std::string& path : paths) {
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
