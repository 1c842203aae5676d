#include "integrate/config.hpp"

using namespace integrate_bench;

namespace {

double integrate(interval whole, double area) {
  const interval left = whole.left();
  const interval right = whole.right();
  const double area_left = left.area();
  const double area_right = right.area();
  if (std::abs(area_left + area_right - area) < k_epsilon) return area_left + area_right;
  return integrate(left, area_left) + integrate(right, area_right);
}

} // namespace

int main() { report(k_large, integrate); }
