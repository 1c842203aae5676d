#include "agent/simulation/shared_cores.hpp"

#include <algorithm>

namespace treadle::agent {

double work_per_s(const shared_machine& m, std::size_t running) noexcept {
  const std::size_t busy = std::min<std::size_t>(running, m.hardware_threads);
  const std::size_t alone = std::min<std::size_t>(busy, m.cores);
  const double all = static_cast<double>(alone) + m.second_thread * static_cast<double>(busy - alone);
  return running > m.hardware_threads ? all * (1 - m.switching) : all;
}

void shared_cores::begin(std::size_t program, double work_s) {
  m_endings.push({m_work_each + work_s, m_begun++, program});
  ++m_programs[program].running;
}

std::optional<double> shared_cores::next_end_s() const noexcept {
  if (m_endings.empty()) return std::nullopt;
  const auto running = static_cast<double>(m_endings.size());
  const double left = std::max(m_endings.top().at_work - m_work_each, 0.0);
  return m_now_s + left * running / work_per_s(m_machine, m_endings.size());
}

std::size_t shared_cores::end_next() {
  const ending first = m_endings.top();
  advance(*next_end_s());
  m_work_each = std::max(first.at_work, m_work_each); // not what rounding makes of it
  m_endings.pop();
  --m_programs[first.program].running;
  return first.program;
}

void shared_cores::advance(double to_s) noexcept {
  const double seconds = to_s - m_now_s;
  m_now_s = to_s;
  if (m_endings.empty() || !(seconds > 0)) return;
  const auto running = static_cast<double>(m_endings.size());
  m_work_each += seconds * work_per_s(m_machine, m_endings.size()) / running;
  const double each_s = seconds * std::min(1.0, static_cast<double>(m_machine.hardware_threads) / running);
  for (program_time& one : m_programs) one.used_s += each_s * static_cast<double>(one.running);
}

} // namespace treadle::agent
