#pragma once

#include "cholesky/tiled_matrix.hpp"
#include "common/configuration.hpp"

namespace cholesky {

/// Who makes the tasks of each kernel.
struct launchers {
  apps::launcher potrf, trsm, syrk, gemm;
};

/// As a configuration has it; potrf is the kernel that is marked as critical (Jiang et al., "Task Priority Control for
/// the HPX Runtime System", IPDPSW 2020). While the runtime exists.
launchers launchers_of(const apps::configuration& how);

struct settings {
  launchers launch = {};
  /// potrf takes this many times as long as it needs, which makes the critical path longer: a potrf that is not blocked
  /// is slower than other tasks in the same way.
  unsigned slow_potrf = 1;
};

/// a := its lower Cholesky factor, by a task for each tile and update: right-looking, every task begins as soon as the
/// tiles that it reads are there. Returns when all have ended, whatever happens; throws not_positive_definite, after
/// which the values of `a` mean nothing. The calling task or thread waits; BLAS must run on one thread.
void factorise(tiled_matrix& a, const settings& how = {});

} // namespace cholesky
