// Says, as JSON, how many threads regions of OpenMP have, each time it reads a line; ends with its input.
#define _GNU_SOURCE
#include <omp.h>
#include <sched.h>
#include <stdio.h>

int main(void) {
  int c;
  while ((c = getchar()) != EOF) {
    int usual = 0, clause = 0, loop = 0, reduced = 0;
    double sum = 0;
#pragma omp parallel
#pragma omp single
    usual = omp_get_num_threads();
#pragma omp parallel num_threads(3)
#pragma omp single
    clause = omp_get_num_threads();
#pragma omp parallel for schedule(dynamic) reduction(+ : sum)
    for (int i = 0; i < 100; ++i) {
      sum += i;
      if (i == 0) loop = omp_get_num_threads();
    }
#pragma omp parallel for
    for (int i = 0; i < 10; ++i)
      if (i == 0) reduced = omp_get_num_threads();
    cpu_set_t cpus;
    sched_getaffinity(0, sizeof cpus, &cpus);
    printf("{\"usual\": %d, \"clause\": %d, \"loop\": %d, \"plain\": %d, \"max\": %d, \"cpus\": %d, \"sum\": %g}\n", usual,
           clause, loop, reduced, omp_get_max_threads(), CPU_COUNT(&cpus), sum);
    fflush(stdout);
  }
  return 0;
}
