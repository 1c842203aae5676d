#include "integrate/config.hpp"

#include <treadle/treadle.hpp>

using namespace integrate_bench;

namespace {

double integrate(const interval& whole, double area) {
  const interval left = whole.left();
  const interval right = whole.right();
  const double area_left = left.area();
  const double area_right = right.area();
  if (std::abs(area_left + area_right - area) < k_epsilon) return area_left + area_right;
  const auto [sum_left, sum_right] = treadle::parallel_invoke([=] { return integrate(left, area_left); },
                                                              [=] { return integrate(right, area_right); });
  return sum_left + sum_right;
}

} // namespace

int main(int argc, char** argv) {
  const unsigned workers = bench::workers_from(argc, argv);
  treadle::runtime runtime({.workers = workers});
  treadle::async([&] { report(k_large, integrate); }).get();
}
