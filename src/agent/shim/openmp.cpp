// Loaded into programs by `treadle run` (LD_PRELOAD): parallel regions of OpenMP have no more threads than are granted
// when they begin, whatever their program or a num_threads clause asks for. What omp_get_max_threads() says does not
// change: programs make room for so many. GCC's runtime is entered through its GOMP_parallel* functions, LLVM's tells a
// tool (OMPT), and is told of clauses by __kmpc_push_num_threads. Calls no more than the C library: it is in programs
// that know nothing of it.
#include "agent/grant_page.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

namespace {

using treadle::agent::grant_page;

const grant_page* page() noexcept {
  static const grant_page* const mapped = []() -> const grant_page* {
    const char* const name = std::getenv(treadle::agent::k_grant_page_variable);
    const int file = name ? open(name, O_RDONLY | O_CLOEXEC) : -1;
    if (file < 0) return nullptr;
    void* const memory = mmap(nullptr, sizeof(grant_page), PROT_READ, MAP_SHARED, file, 0);
    close(file);
    return memory == MAP_FAILED ? nullptr : static_cast<const grant_page*>(memory);
  }();
  return mapped;
}

/// 0: no limit.
unsigned granted() noexcept {
  const grant_page* const p = page();
  return p ? p->threads.load(std::memory_order_relaxed) : 0;
}

template <class Function>
Function* next(const char* name) noexcept {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

int real_max_threads() noexcept {
  static int (*const real)() = next<int()>("omp_get_max_threads");
  return real ? real() : 1;
}
void real_set_threads(int n) noexcept {
  static void (*const real)(int) = next<void(int)>("omp_set_num_threads");
  if (real) real(n);
}

/// What a region may have that asks for `wanted`, 0 for what is usual.
unsigned limited(unsigned wanted) noexcept {
  const unsigned most = granted();
  if (most == 0) return wanted;
  if (wanted == 0) return real_max_threads() <= static_cast<int>(most) ? 0 : most;
  return std::min(wanted, most);
}

using body = void (*)(void*);

// LLVM's: https://www.openmp.org/spec-html/5.1/openmpch4.html, of which this is what is used.
using lookup_function = void (*(*)(const char*))();
struct start_result {
  int (*initialize)(lookup_function, int, void*);
  void (*finalize)(void*);
  unsigned long long data;
};
constexpr int k_parallel_begin = 3;

/// What the program has set, where less is set in its place; 0: nothing is. A region cannot undo that when it ends,
/// because it has settings of its own then.
thread_local int t_usual = 0;

void begin_parallel(void*, const void*, void*, unsigned, int, const void*) {
  const int usual = t_usual != 0 ? t_usual : real_max_threads();
  const unsigned most = granted();
  const int wanted = most == 0 ? usual : std::min(usual, static_cast<int>(most));
  if (wanted == usual && t_usual == 0) return;
  t_usual = wanted == usual ? 0 : usual;
  real_set_threads(wanted);
}

int begin_tool(lookup_function find, int, void*) {
  const auto set = reinterpret_cast<int (*)(int, void (*)())>(find("ompt_set_callback"));
  if (!set) return 0;
  set(k_parallel_begin, reinterpret_cast<void (*)()>(begin_parallel));
  return 1;
}
void end_tool(void*) {}

// OpenBLAS: as often as the grant changes, through all functions of that name that the program has loaded.

struct blas_functions {
  void (*set[16])(int);
  int (*get[16])();
  int usual[16];
  int count = 0;
};

/// Looks through the symbols of one object that is loaded.
int find_blas(dl_phdr_info* object, std::size_t, void* to) {
  auto& found = *static_cast<blas_functions*>(to);
  if (!object->dlpi_name || !std::strstr(object->dlpi_name, "blas")) return 0;
  void* const handle = dlopen(object->dlpi_name, RTLD_LAZY | RTLD_NOLOAD);
  if (!handle) return 0;
  constexpr const char* k_names[][2] = {{"openblas_set_num_threads", "openblas_get_num_threads"},
                                        {"openblas_set_num_threads64_", "openblas_get_num_threads64_"},
                                        {"scipy_openblas_set_num_threads", "scipy_openblas_get_num_threads"},
                                        {"scipy_openblas_set_num_threads64_", "scipy_openblas_get_num_threads64_"}};
  for (const auto& [set_name, get_name] : k_names) {
    void* const set = dlsym(handle, set_name);
    void* const get = dlsym(handle, get_name);
    if (!set || !get || found.count == 16) continue;
    for (int i = 0; i < found.count; ++i)
      if (reinterpret_cast<void*>(found.set[i]) == set) return 0;
    found.set[found.count] = reinterpret_cast<void (*)(int)>(set);
    found.get[found.count] = reinterpret_cast<int (*)()>(get);
    found.usual[found.count] = found.get[found.count]();
    ++found.count;
  }
  return 0; // the handle stays: the library does, too
}

void* follow(void*) {
  blas_functions found;
  unsigned last = 0;
  for (;;) {
    const timespec pause{0, 20'000'000};
    nanosleep(&pause, nullptr);
    const int before = found.count;
    if (const unsigned now = granted(); now != last || before == 0) {
      dl_iterate_phdr(find_blas, &found);
      if (now == last && found.count == before) continue;
      for (int i = 0; i < found.count; ++i) // fewer than it began with: it makes no threads, and only stores a number
        found.set[i](now == 0 ? found.usual[i] : std::min(found.usual[i], static_cast<int>(now)));
      last = now;
    }
  }
  return nullptr;
}

[[gnu::constructor]] void begin() {
  pthread_t thread;
  if (page() && pthread_create(&thread, nullptr, follow, nullptr) == 0) pthread_detach(thread);
}

} // namespace

extern "C" {

void GOMP_parallel(body f, void* data, unsigned threads, unsigned flags) {
  static const auto real = next<void(body, void*, unsigned, unsigned)>("GOMP_parallel");
  real(f, data, limited(threads), flags);
}
unsigned GOMP_parallel_reductions(body f, void* data, unsigned threads, unsigned flags) {
  static const auto real = next<unsigned(body, void*, unsigned, unsigned)>("GOMP_parallel_reductions");
  return real(f, data, limited(threads), flags);
}
void GOMP_parallel_sections(body f, void* data, unsigned threads, unsigned count, unsigned flags) {
  static const auto real = next<void(body, void*, unsigned, unsigned, unsigned)>("GOMP_parallel_sections");
  real(f, data, limited(threads), count, flags);
}

#define TREADLE_CHUNKED_LOOP(NAME)                                                                                     \
  void NAME(body f, void* data, unsigned threads, long begin, long end, long step, long chunk, unsigned flags) {       \
    static const auto real = next<void(body, void*, unsigned, long, long, long, long, unsigned)>(#NAME);               \
    real(f, data, limited(threads), begin, end, step, chunk, flags);                                                   \
  }
#define TREADLE_RUNTIME_LOOP(NAME)                                                                                     \
  void NAME(body f, void* data, unsigned threads, long begin, long end, long step, unsigned flags) {                   \
    static const auto real = next<void(body, void*, unsigned, long, long, long, unsigned)>(#NAME);                     \
    real(f, data, limited(threads), begin, end, step, flags);                                                          \
  }
TREADLE_CHUNKED_LOOP(GOMP_parallel_loop_static)
TREADLE_CHUNKED_LOOP(GOMP_parallel_loop_dynamic)
TREADLE_CHUNKED_LOOP(GOMP_parallel_loop_guided)
TREADLE_CHUNKED_LOOP(GOMP_parallel_loop_nonmonotonic_dynamic)
TREADLE_CHUNKED_LOOP(GOMP_parallel_loop_nonmonotonic_guided)
TREADLE_RUNTIME_LOOP(GOMP_parallel_loop_runtime)
TREADLE_RUNTIME_LOOP(GOMP_parallel_loop_nonmonotonic_runtime)
TREADLE_RUNTIME_LOOP(GOMP_parallel_loop_maybe_nonmonotonic_runtime)

int omp_get_max_threads() { return t_usual != 0 ? t_usual : real_max_threads(); }
void omp_set_num_threads(int n) {
  t_usual = 0;
  real_set_threads(n);
}
int omp_get_max_threads_() { return omp_get_max_threads(); } // Fortran's
void omp_set_num_threads_(const int* n) { omp_set_num_threads(*n); }

/// A num_threads clause of LLVM's.
void __kmpc_push_num_threads(void* where, int thread, int wanted) {
  static const auto real = next<void(void*, int, int)>("__kmpc_push_num_threads");
  const unsigned most = granted();
  real(where, thread, most == 0 ? wanted : std::min(wanted, static_cast<int>(most)));
}

void* ompt_start_tool(unsigned, const char*) {
  static start_result result{begin_tool, end_tool, 0};
  return page() ? &result : nullptr;
}
}
