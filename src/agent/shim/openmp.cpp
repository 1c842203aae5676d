// Loaded into programs by `treadle run` (LD_PRELOAD): parallel regions of OpenMP have no more threads than are granted
// when they begin, whatever their program or a num_threads clause asks for. What omp_get_max_threads() says does not
// change: programs make room for that many. Regions of GCC's runtime begin with a GOMP_parallel* function, those of
// LLVM's with __kmpc_fork_call. Calls no more than the C library: it is in programs that know nothing of it.
#include "agent/grant_page.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <signal.h>
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

/// The function of the runtime that the program uses. Interpreters load it so that the usual search does not find it.
void* find(const char* name) noexcept {
  if (void* const found = dlsym(RTLD_NEXT, name)) return found;
  for (const char* const one : {"libgomp.so.1", "libomp.so.5", "libomp.so", "libiomp5.so"}) {
    void* const library = dlopen(one, RTLD_LAZY | RTLD_NOLOAD);
    void* const found = library ? dlsym(library, name) : nullptr;
    if (found) return found;
  }
  return nullptr;
}
/// The same where nothing can go on without it.
template <class Function>
Function* real(const char* name) noexcept {
  void* const found = find(name);
  if (found) return reinterpret_cast<Function*>(found);
  std::fprintf(stderr, "treadle run: no OpenMP runtime of this program has %s\n", name);
  std::abort();
}

int usual_threads() noexcept {
  static auto* const ask = reinterpret_cast<int (*)()>(find("omp_get_max_threads"));
  return ask ? ask() : 1;
}

/// What a region may have that asks for `wanted`, 0 for what is usual.
unsigned limited(unsigned wanted) noexcept {
  const unsigned most = granted();
  if (most == 0) return wanted;
  if (wanted == 0) return usual_threads() <= static_cast<int>(most) ? 0 : most;
  return std::min(wanted, most);
}

using body = void (*)(void*);

/// The region that the calling thread begins next has a clause of its own.
thread_local bool t_has_clause = false;

// OpenBLAS: as often as the grant changes, through all functions of that name that the program has loaded.

struct blas_functions {
  void (*set[16])(int);
  int usual[16];
  int count = 0;
};

struct loaded_files {
  char name[64][512];
  int count = 0;
};
/// Under a lock of the loader: only takes note.
int note_blas(dl_phdr_info* object, std::size_t, void* to) {
  auto& files = *static_cast<loaded_files*>(to);
  if (!object->dlpi_name || !std::strstr(object->dlpi_name, "blas") || files.count == 64) return 0;
  if (std::strlen(object->dlpi_name) < sizeof files.name[0]) std::strcpy(files.name[files.count++], object->dlpi_name);
  return 0;
}

void find_blas(const char* file, blas_functions& found) {
  void* const handle = dlopen(file, RTLD_LAZY | RTLD_NOLOAD);
  if (!handle) return;
  constexpr const char* k_names[][2] = {{"openblas_set_num_threads", "openblas_get_num_threads"},
                                        {"openblas_set_num_threads64_", "openblas_get_num_threads64_"},
                                        {"scipy_openblas_set_num_threads", "scipy_openblas_get_num_threads"},
                                        {"scipy_openblas_set_num_threads64_", "scipy_openblas_get_num_threads64_"}};
  for (const auto& [set_name, get_name] : k_names) {
    const auto set = reinterpret_cast<void (*)(int)>(dlsym(handle, set_name));
    const auto get = reinterpret_cast<int (*)()>(dlsym(handle, get_name));
    if (!set || !get || found.count == 16 || std::count(found.set, found.set + found.count, set) != 0) continue;
    found.set[found.count] = set;
    found.usual[found.count++] = get();
  }
} // the handle stays: the library does, too

void* follow(void*) {
  blas_functions found;
  unsigned last = 0;
  for (;;) {
    const timespec pause{0, 20'000'000};
    nanosleep(&pause, nullptr);
    const int before = found.count;
    if (const unsigned now = granted(); now != last || before == 0) {
      static loaded_files files;
      files.count = 0;
      dl_iterate_phdr(note_blas, &files);
      for (int i = 0; i < files.count; ++i) find_blas(files.name[i], found);
      if (now == last && found.count == before) continue;
      for (int i = 0; i < found.count; ++i) // fewer than it began with: it makes no threads, and only stores a number
        found.set[i](now == 0 ? found.usual[i] : std::min(found.usual[i], static_cast<int>(now)));
      last = now;
    }
  }
  return nullptr;
}

[[gnu::constructor]] void begin() {
  if (!page()) return;
  sigset_t all, before; // signals of the program are for its own threads
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pthread_t thread;
  if (pthread_create(&thread, nullptr, follow, nullptr) == 0) pthread_detach(thread);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

} // namespace

extern "C" {

void GOMP_parallel(body f, void* data, unsigned threads, unsigned flags) {
  static auto* const go_on = real<void(body, void*, unsigned, unsigned)>("GOMP_parallel");
  go_on(f, data, limited(threads), flags);
}
unsigned GOMP_parallel_reductions(body f, void* data, unsigned threads, unsigned flags) {
  static auto* const go_on = real<unsigned(body, void*, unsigned, unsigned)>("GOMP_parallel_reductions");
  return go_on(f, data, limited(threads), flags);
}
void GOMP_parallel_sections(body f, void* data, unsigned threads, unsigned count, unsigned flags) {
  static auto* const go_on = real<void(body, void*, unsigned, unsigned, unsigned)>("GOMP_parallel_sections");
  go_on(f, data, limited(threads), count, flags);
}

#define TREADLE_CHUNKED_LOOP(NAME)                                                                                     \
  void NAME(body f, void* data, unsigned threads, long begin, long end, long step, long chunk, unsigned flags) {       \
    static auto* const go_on = real<void(body, void*, unsigned, long, long, long, long, unsigned)>(#NAME);             \
    go_on(f, data, limited(threads), begin, end, step, chunk, flags);                                                  \
  }
#define TREADLE_RUNTIME_LOOP(NAME)                                                                                     \
  void NAME(body f, void* data, unsigned threads, long begin, long end, long step, unsigned flags) {                   \
    static auto* const go_on = real<void(body, void*, unsigned, long, long, long, unsigned)>(#NAME);                   \
    go_on(f, data, limited(threads), begin, end, step, flags);                                                         \
  }
TREADLE_CHUNKED_LOOP(GOMP_parallel_loop_static)
TREADLE_CHUNKED_LOOP(GOMP_parallel_loop_dynamic)
TREADLE_CHUNKED_LOOP(GOMP_parallel_loop_guided)
TREADLE_CHUNKED_LOOP(GOMP_parallel_loop_nonmonotonic_dynamic)
TREADLE_CHUNKED_LOOP(GOMP_parallel_loop_nonmonotonic_guided)
TREADLE_RUNTIME_LOOP(GOMP_parallel_loop_runtime)
TREADLE_RUNTIME_LOOP(GOMP_parallel_loop_nonmonotonic_runtime)
TREADLE_RUNTIME_LOOP(GOMP_parallel_loop_maybe_nonmonotonic_runtime)

/// A num_threads clause of LLVM's.
void __kmpc_push_num_threads(void* where, int thread, int wanted) {
  static auto* const go_on = real<void(void*, int, int)>("__kmpc_push_num_threads");
  t_has_clause = true;
  go_on(where, thread, static_cast<int>(limited(static_cast<unsigned>(std::max(wanted, 1)))));
}

/// One whose if clause says no.
void __kmpc_serialized_parallel(void* where, int thread) {
  static auto* const go_on = real<void(void*, int)>("__kmpc_serialized_parallel");
  t_has_clause = false;
  go_on(where, thread);
}

#if defined(__x86_64__)
/// Before a region of LLVM's: as if it had a clause, where it must have fewer threads than usual. Where to go on.
[[gnu::visibility("hidden")]] void* treadle_before_fork(void* where) {
  static void* const go_on = reinterpret_cast<void*>(real<void()>("__kmpc_fork_call"));
  static auto* const thread_number = real<int(void*)>("__kmpc_global_thread_num");
  static auto* const push = real<void(void*, int, int)>("__kmpc_push_num_threads");
  const unsigned most = t_has_clause ? 0 : limited(0);
  t_has_clause = false;
  if (most != 0) push(where, thread_number(where), static_cast<int>(most));
  return go_on;
}
/// It has any number of arguments: all registers that may hold some, and the stack, are as they were when it goes on.
[[gnu::naked]] void __kmpc_fork_call() {
  asm("push %rdi; push %rsi; push %rdx; push %rcx; push %r8; push %r9; push %rax\n\t"
      "sub $128, %rsp\n\t"
      "movups %xmm0, (%rsp); movups %xmm1, 16(%rsp); movups %xmm2, 32(%rsp); movups %xmm3, 48(%rsp)\n\t"
      "movups %xmm4, 64(%rsp); movups %xmm5, 80(%rsp); movups %xmm6, 96(%rsp); movups %xmm7, 112(%rsp)\n\t"
      "call treadle_before_fork\n\t"
      "mov %rax, %r11\n\t"
      "movups (%rsp), %xmm0; movups 16(%rsp), %xmm1; movups 32(%rsp), %xmm2; movups 48(%rsp), %xmm3\n\t"
      "movups 64(%rsp), %xmm4; movups 80(%rsp), %xmm5; movups 96(%rsp), %xmm6; movups 112(%rsp), %xmm7\n\t"
      "add $128, %rsp\n\t"
      "pop %rax; pop %r9; pop %r8; pop %rcx; pop %rdx; pop %rsi; pop %rdi\n\t"
      "jmp *%r11");
}
#endif
}
