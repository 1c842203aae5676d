#include "in_omp.hpp"
#include "integrate/config.hpp"

using namespace integrate_bench;

namespace {

double integrate(interval whole, double area) {
  const interval left = whole.left();
  const interval right = whole.right();
  const double area_left = left.area();
  const double area_right = right.area();
  if (std::abs(area_left + area_right - area) < k_epsilon) return area_left + area_right;
  double sum_left = 0;
#pragma omp task shared(sum_left) firstprivate(left, area_left)
  sum_left = integrate(left, area_left);
  const double sum_right = integrate(right, area_right);
#pragma omp taskwait
  return sum_left + sum_right;
}

} // namespace

int main(int argc, char** argv) {
  const unsigned workers = bench::workers_from(argc, argv);
  bench::in_omp(workers, [&] { report(k_small, integrate); });
}
