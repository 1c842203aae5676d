#include "cholesky/config.hpp"

#include <cstdio>
#include <starpu.h>
#include <vector>

using namespace cholesky;
using cholesky_bench::bottom_level;

namespace {

tile tile_of(void* buffer) {
  const auto& matrix = *static_cast<const starpu_matrix_interface*>(buffer);
  return {reinterpret_cast<double*>(matrix.ptr), matrix.nx, matrix.ny};
}

void run_potrf(void* buffers[], void*) { potrf(tile_of(buffers[0]), 0, 0); }
void run_trsm(void* buffers[], void*) { trsm(tile_of(buffers[0]), tile_of(buffers[1])); }
void run_syrk(void* buffers[], void*) { syrk(tile_of(buffers[0]), tile_of(buffers[1])); }
void run_gemm(void* buffers[], void*) { gemm(tile_of(buffers[0]), tile_of(buffers[1]), tile_of(buffers[2])); }

/// Writes the first of its buffers, reads the others.
starpu_codelet make_codelet(const char* name, starpu_cpu_func_t function, int buffers) {
  starpu_codelet made;
  starpu_codelet_init(&made);
  made.name = name;
  made.cpu_funcs[0] = function;
  made.nbuffers = buffers;
  made.modes[0] = STARPU_RW;
  for (int i = 1; i < buffers; ++i) made.modes[i] = STARPU_R;
  return made;
}

/// Registers the tiles once.
class factorisation {
 public:
  explicit factorisation(const tiled_matrix& a) : m_tiles(a.shape().count()), m_handles(m_tiles * m_tiles) {
    for (std::size_t j = 0; j < m_tiles; ++j) {
      for (std::size_t i = j; i < m_tiles; ++i) {
        const tile t = a.at(i, j);
        const auto rows = static_cast<std::uint32_t>(t.rows), columns = static_cast<std::uint32_t>(t.columns);
        starpu_matrix_data_register(&at(i, j), STARPU_MAIN_RAM, reinterpret_cast<std::uintptr_t>(t.data), rows, rows,
                                    columns, sizeof(double));
      }
    }
  }
  ~factorisation() {
    for (starpu_data_handle_t handle : m_handles) {
      if (handle) starpu_data_unregister(handle);
    }
  }
  factorisation(const factorisation&) = delete;
  factorisation& operator=(const factorisation&) = delete;

  void operator()() {
    for (std::size_t k = 0; k < m_tiles; ++k) {
      insert(m_potrf, bottom_level(m_tiles, k, k, k), at(k, k));
      for (std::size_t i = k + 1; i < m_tiles; ++i) insert(m_trsm, bottom_level(m_tiles, i, k, k), at(i, k), at(k, k));
      for (std::size_t j = k + 1; j < m_tiles; ++j) {
        insert(m_syrk, bottom_level(m_tiles, j, j, k), at(j, j), at(j, k));
        for (std::size_t i = j + 1; i < m_tiles; ++i)
          insert(m_gemm, bottom_level(m_tiles, i, j, k), at(i, j), at(i, k), at(j, k));
      }
    }
    starpu_task_wait_for_all();
  }

 private:
  starpu_data_handle_t& at(std::size_t i, std::size_t j) { return m_handles[j * m_tiles + i]; }

  static void check(int error) {
    if (error == 0) return;
    std::fprintf(stderr, "starpu_task_insert: %s\n", std::strerror(-error));
    std::exit(1);
  }
  static void insert(starpu_codelet& kernel, int priority, starpu_data_handle_t written) {
    check(starpu_task_insert(&kernel, STARPU_PRIORITY, priority, STARPU_RW, written, 0));
  }
  static void insert(starpu_codelet& kernel, int priority, starpu_data_handle_t written, starpu_data_handle_t read) {
    check(starpu_task_insert(&kernel, STARPU_PRIORITY, priority, STARPU_RW, written, STARPU_R, read, 0));
  }
  static void insert(starpu_codelet& kernel, int priority, starpu_data_handle_t written, starpu_data_handle_t read,
                     starpu_data_handle_t also_read) {
    check(starpu_task_insert(&kernel, STARPU_PRIORITY, priority, STARPU_RW, written, STARPU_R, read, STARPU_R,
                             also_read, 0));
  }

  starpu_codelet m_potrf = make_codelet("potrf", run_potrf, 1), m_trsm = make_codelet("trsm", run_trsm, 2),
                 m_syrk = make_codelet("syrk", run_syrk, 2), m_gemm = make_codelet("gemm", run_gemm, 3);
  std::size_t m_tiles;
  std::vector<starpu_data_handle_t> m_handles;
};

} // namespace

int main(int argc, char** argv) {
  starpu_conf conf;
  starpu_conf_init(&conf);
  conf.sched_policy_name = "prio";
  conf.ncpus = static_cast<int>(bench::workers_from(argc, argv));
  conf.ncuda = 0;
  conf.nopencl = 0;
  if (starpu_init(&conf) != 0) {
    std::fputs("starpu_init failed\n", stderr);
    return 77; // this machine cannot run it
  }
  cholesky_bench::report(argc, argv, [](tiled_matrix& a) { return factorisation(a); });
  starpu_shutdown();
}
