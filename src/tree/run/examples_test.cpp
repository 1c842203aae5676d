// The programs under apps/physl against the same mathematics written in C++.
#include "tree/test_support.hpp"

#include <cmath>
#include <functional>
#include <random>
#include <sstream>

namespace treadle::tree {
namespace {

using matrix = std::vector<std::vector<double>>;

physl::program program_of(const std::string& name) { return physl::program(text_of("apps/physl/" + name), name); }

value to_value(const matrix& m) {
  auto a = array::uninitialized(dtype::float64,
                                {static_cast<std::int64_t>(m.size()), static_cast<std::int64_t>(m[0].size())});
  auto* x = a.mutable_data<double>();
  for (const auto& row : m)
    for (double e : row) *x++ = e;
  return a;
}

matrix zeros(std::size_t rows, std::size_t columns) {
  matrix m(rows);
  for (auto& row : m) row.resize(columns);
  return m;
}

matrix random_matrix(std::size_t rows, std::size_t columns, unsigned seed) {
  std::mt19937 engine(seed);
  std::normal_distribution<double> number;
  matrix m = zeros(rows, columns);
  for (auto& row : m)
    for (auto& e : row) e = number(engine);
  return m;
}

void expect_near(const value& found, const matrix& expected, double tolerance) {
  const auto a = found.to_array().contiguous();
  ASSERT_EQ(a.shape(),
            (extents{static_cast<std::int64_t>(expected.size()), static_cast<std::int64_t>(expected[0].size())}));
  const auto* x = a.data<double>();
  for (const auto& row : expected)
    for (double e : row) EXPECT_NEAR(*x++, e, tolerance);
}

// Runs with every policy and several numbers of workers; all results must be the same bits.
value run_everywhere(const std::string& name, std::span<const value> args) {
  const auto program = program_of(name);
  const auto reference = program.run(args, with_policy(physl::policy::always_inline));
  for (unsigned count : k_worker_counts) {
    const workers w(count);
    for (auto p : k_policies)
      for (int repetition = 0; repetition < 3; ++repetition)
        EXPECT_EQ(program.run(args, with_policy(p)), reference)
            << name << " with " << to_string(p) << ", workers " << count;
    for (const auto& options : splitting_options())
      EXPECT_EQ(program.run(args, options), reference) << name << " split, workers " << count;
  }
  return reference;
}

// Gaussian elimination without pivoting tricks: the matrices here are symmetric and positive definite.
std::vector<double> solve_naively(matrix a, std::vector<double> b) {
  const auto n = b.size();
  for (std::size_t k = 0; k < n; ++k)
    for (std::size_t i = k + 1; i < n; ++i) {
      const double factor = a[i][k] / a[k][k];
      for (std::size_t j = k; j < n; ++j) a[i][j] -= factor * a[k][j];
      b[i] -= factor * b[k];
    }
  for (std::size_t i = n; i-- > 0;) {
    for (std::size_t j = i + 1; j < n; ++j) b[i] -= a[i][j] * b[j];
    b[i] /= a[i][i];
  }
  return b;
}

matrix gram(const matrix& x, double regularization) {
  const auto f = x[0].size();
  matrix g = zeros(f, f);
  for (std::size_t i = 0; i < f; ++i) {
    for (std::size_t j = 0; j < f; ++j)
      for (const auto& row : x) g[i][j] += row[i] * row[j];
    g[i][i] += regularization;
  }
  return g;
}

// The factors of one side, sparse: only what is rated counts.
void half_step(matrix& target, const matrix& fixed, const matrix& g, double alpha,
               const std::function<double(std::size_t, std::size_t)>& rating) {
  const auto f = fixed[0].size();
  for (std::size_t u = 0; u < target.size(); ++u) {
    matrix a = g;
    std::vector<double> b(f, 0.0);
    for (std::size_t i = 0; i < fixed.size(); ++i) {
      const double c = alpha * rating(u, i);
      if (c == 0.0) continue;
      for (std::size_t j = 0; j < f; ++j) {
        b[j] += (c + 1.0) * fixed[i][j];
        for (std::size_t k = 0; k < f; ++k) a[j][k] += c * fixed[i][j] * fixed[i][k];
      }
    }
    target[u] = solve_naively(a, b);
  }
}

matrix ratings_10x5() {
  matrix r = zeros(10, 5);
  const int entries[][3] = {{0, 1, 4}, {1, 0, 1}, {1, 2, 4}, {1, 4, 5}, {2, 3, 2}, {3, 1, 8},
                            {4, 2, 4}, {6, 4, 2}, {7, 0, 1}, {8, 3, 5}, {9, 0, 1}, {9, 3, 2}};
  for (const auto& e : entries) r[static_cast<std::size_t>(e[0])][static_cast<std::size_t>(e[1])] = e[2];
  return r;
}

// Each block of the language reference ends with its value in a comment.
TEST(examples, of_the_reference_page) {
  std::istringstream file(text_of("docs/reference/physl.md"));
  std::string line, block;
  bool inside = false;
  int count = 0;
  while (std::getline(file, line)) {
    if (inside && line == "```") {
      const auto comment = block.rfind("// ");
      EXPECT_EQ(shown(block), block.substr(comment + 3, block.size() - comment - 4)) << block;
      ++count;
      inside = false;
    } else if (line == "```physl") {
      inside = true;
      block.clear();
    } else if (inside) {
      block += line + "\n";
    }
  }
  EXPECT_EQ(count, 4);
}

class als : public testing::TestWithParam<const char*> {};

TEST_P(als, computes_what_the_sparse_form_computes) {
  const auto r = ratings_10x5();
  auto x = random_matrix(10, 3, 1), y = random_matrix(5, 3, 2);
  const value args[] = {to_value(r), 0.1, 10, 40.0, to_value(x), to_value(y)};
  for (int k = 0; k < 10; ++k) {
    const auto gram_y = gram(y, 0.1), gram_x = gram(x, 0.1); // both of the previous iterate
    half_step(x, y, gram_y, 40.0, [&](auto u, auto i) { return r[u][i]; });
    half_step(y, x, gram_x, 40.0, [&](auto i, auto u) { return r[u][i]; });
  }
  const auto result = run_everywhere(GetParam(), args);
  expect_near(result.item(0), x, 1e-7);
  expect_near(result.item(1), y, 1e-7);
  for (double factor : x[5]) EXPECT_EQ(factor, 0.0); // a user without ratings
}

INSTANTIATE_TEST_SUITE_P(programs, als, testing::Values("als.physl", "als_rows.physl"));

TEST(examples, logistic_regression) {
  const auto x = random_matrix(30, 4, 3);
  std::vector<double> y, weights(4, 0.0);
  for (const auto& row : x) y.push_back(row[0] - row[1] > 0.2 ? 1.0 : 0.0);
  for (int step = 0; step < 25; ++step) {
    std::vector<double> gradient(4, 0.0);
    for (std::size_t i = 0; i < x.size(); ++i) {
      double z = 0;
      for (std::size_t j = 0; j < 4; ++j) z += x[i][j] * weights[j];
      const double difference = 1.0 / (1.0 + std::exp(-z)) - y[i];
      for (std::size_t j = 0; j < 4; ++j) gradient[j] += x[i][j] * difference;
    }
    for (std::size_t j = 0; j < 4; ++j) weights[j] -= 0.1 * gradient[j];
  }
  const value args[] = {to_value(x), array::of<double>({30}, y), 0.1, 25};
  const auto result = run_everywhere("lra.physl", args).to_array();
  for (std::size_t j = 0; j < 4; ++j) EXPECT_NEAR(result.data<double>()[j], weights[j], 1e-12);
}

TEST(examples, kernel_smoother) {
  std::vector<double> x, y, smooth;
  for (const auto& row : random_matrix(40, 2, 8)) {
    x.push_back(row[0]);
    y.push_back(row[1]);
  }
  for (const double at : x) {
    double sum = 0, weights = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double weight = std::exp(-std::pow((x[i] - at) / 0.3, 2));
      sum += weight * y[i];
      weights += weight;
    }
    smooth.push_back(sum / weights);
  }
  const value args[] = {array::of<double>({40}, x), array::of<double>({40}, y), 0.3};
  const auto result = run_everywhere("smooth.physl", args).to_array();
  for (std::size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(result.data<double>()[i], smooth[i], 1e-12);
}

TEST(examples, kmeans) {
  const auto points = random_matrix(60, 2, 4);
  matrix centroids(points.begin(), points.begin() + 4);
  centroids.emplace_back(2, 100.0); // nobody is close to it
  const value args[] = {to_value(points), to_value(centroids), 8};
  for (int step = 0; step < 8; ++step) {
    matrix sums = zeros(5, 3);
    for (const auto& p : points) {
      std::size_t nearest = 0;
      const auto distance = [&](std::size_t k) {
        return std::pow(p[0] - centroids[k][0], 2) + std::pow(p[1] - centroids[k][1], 2);
      };
      for (std::size_t k = 1; k < 5; ++k)
        if (distance(k) < distance(nearest)) nearest = k;
      for (std::size_t j = 0; j < 2; ++j) sums[nearest][j] += p[j];
      sums[nearest][2] += 1.0;
    }
    for (std::size_t k = 0; k < 5; ++k)
      for (std::size_t j = 0; j < 2 && sums[k][2] > 0; ++j) centroids[k][j] = sums[k][j] / sums[k][2];
  }
  expect_near(run_everywhere("kmeans.physl", args), centroids, 1e-12);
}

TEST(examples, fibonacci) {
  const value args[] = {16};
  EXPECT_EQ(run_everywhere("fib.physl", args), value(987));
}

} // namespace
} // namespace treadle::tree
