#include "compat/ocr/channel.hpp"

namespace treadle::ocr {

std::uint8_t channel::satisfy(std::uint64_t db, fired& next) {
  if (!m_dependences.empty()) {
    next.first = m_dependences.front();
    next.db = db;
    m_dependences.pop_front();
    return 0;
  }
  if (is_full(m_satisfactions.size())) return OCR_ENOSPC;
  m_satisfactions.push_back(db);
  return 0;
}

std::uint8_t channel::add(const target& to, fired& now) {
  if (!m_satisfactions.empty()) {
    now.first = to;
    now.db = m_satisfactions.front();
    m_satisfactions.pop_front();
    return 0;
  }
  if (is_full(m_dependences.size())) return OCR_ENOSPC;
  m_dependences.push_back(to);
  return 0;
}

} // namespace treadle::ocr
