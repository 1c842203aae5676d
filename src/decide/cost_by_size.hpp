// What something costs, by the size of its input. Pure.
#pragma once

namespace treadle::decide {

/// cost = a + b * size with a and b not negative, by least squares of relative errors, in which one evaluation that was
/// interrupted counts little. What is long ago counts less.
class cost_by_size {
 public:
  /// `cost` > 0, `size` >= 0.
  void add(double size, double cost) noexcept {
    const double w = 1 / (cost * cost);
    m_w = k_keep * m_w + w;
    m_ws = k_keep * m_ws + w * size;
    m_wss = k_keep * m_wss + w * size * size;
    m_wc = k_keep * m_wc + w * cost;
    m_wsc = k_keep * m_wsc + w * size * cost;
  }
  bool is_known() const noexcept { return m_w > 0; }
  /// As far as only one size is known, costs grow in proportion to it: what is taken for more than it is, is measured
  /// soon.
  double at(double size) const noexcept {
    const double spread = m_w * m_wss - m_ws * m_ws;
    if (m_wss == 0) return m_wc / m_w;
    if (spread <= k_alike * m_w * m_wss) return m_wsc / m_wss * size;
    const double b = (m_w * m_wsc - m_ws * m_wc) / spread, a = (m_wc - b * m_ws) / m_w;
    return b <= 0 ? m_wc / m_w : a <= 0 ? m_wsc / m_wss * size : a + b * size;
  }

 private:
  static constexpr double k_keep = 0.98, k_alike = 1e-6;

  double m_w = 0, m_ws = 0, m_wss = 0, m_wc = 0, m_wsc = 0; // weighted sums
};

} // namespace treadle::decide
