// When all localities may leave: all of them want to, no task runs, and no parcel is on its way. Mattern, "Algorithms
// for distributed termination detection" (1987), the four counters: locality 0 asks all, wave after wave, how many
// parcels they have sent and received. When two waves in a row have the same sums, and as many were received as sent,
// nothing has moved in between, and nothing can move any more.
#pragma once

#include <cstdint>
#include <vector>

namespace treadle::detail {

/// What locality 0 knows. Pure.
class departure {
 public:
  explicit departure(unsigned localities) : m_answered(localities) {}

  void begin_wave() {
    m_before = m_now;
    m_now = {};
    m_answered.assign(m_answered.size(), false);
    m_left = m_answered.size();
  }
  /// What a locality has sent and received when no task of it ran. False: it has answered in this wave before.
  bool answer(unsigned from, std::uint64_t sent, std::uint64_t received) {
    if (from >= m_answered.size() || m_answered[from]) return false;
    m_answered[from] = true;
    --m_left;
    m_now.sent += sent;
    m_now.received += received;
    return true;
  }
  bool is_wave_over() const { return m_left == 0; }
  bool may_leave() const { return m_now.sent == m_now.received && m_now == m_before; }

 private:
  struct sums {
    std::uint64_t sent = 0, received = 0;
    friend bool operator==(const sums&, const sums&) = default;
  };
  std::vector<bool> m_answered;
  std::size_t m_left = 0;
  sums m_now{0, 1}, m_before{0, 1}; // as if something was on its way
};

} // namespace treadle::detail
