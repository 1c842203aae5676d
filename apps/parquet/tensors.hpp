// A tensor of three frequencies, and what one iteration does with it.
#pragma once

#include <complex>
#include <cstddef>
#include <vector>

namespace parquet {

using element = std::complex<double>;

/// The matrices of some values of the last frequency: element (k, p) of matrix q belongs to q - first().
class slices {
 public:
  slices(std::size_t n, std::size_t first, std::size_t count) : m_n(n), m_first(first), m_all(n * n * count) {}
  std::size_t n() const noexcept { return m_n; }
  std::size_t first() const noexcept { return m_first; }
  std::size_t count() const noexcept { return m_all.size() / (m_n * m_n); }
  element& at(std::size_t k, std::size_t p, std::size_t q) { return m_all[((q - m_first) * m_n + k) * m_n + p]; }
  const element& at(std::size_t k, std::size_t p, std::size_t q) const {
    return m_all[((q - m_first) * m_n + k) * m_n + p];
  }

 private:
  std::size_t m_n, m_first;
  std::vector<element> m_all;
};

/// Where an element comes from: crossing symmetry exchanges the frequencies.
struct place {
  std::size_t k, p, q;
};
constexpr place crossed(std::size_t n, const place& of) noexcept {
  return {of.k, (of.k + of.q) % n, (of.p + n - of.k) % n};
}

element bare(std::size_t n, const place& of); ///< what the iteration begins with
/// A row of the Bethe-Salpeter step: the product of matrix q with itself, and a propagator between.
void contract_row(const slices& vertex, slices& ladder, std::size_t k, std::size_t q);
/// The parquet step: the bare vertex, and a ladder that was crossed. Stays bounded.
element next_vertex(std::size_t n, const place& of, element crossed_ladder);

/// All of it by one thread, for `--check`.
slices serial(std::size_t n, std::size_t iterations);

} // namespace parquet
