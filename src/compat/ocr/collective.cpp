#include "compat/ocr/collective.hpp"

#include "compat/ocr/block.hpp"
#include "compat/ocr/reduction.hpp"

#include <cstring>

namespace treadle::ocr {

bool collective::is_possible(const ocrEventCollectiveParams_t& p) noexcept {
  return p.maxGen != 0 && p.nbContribs != 0 && p.nbContribsPd != 0 && p.nbContribsPd <= p.nbContribs &&
         p.nbDatum != 0 && is_reduction(p.op);
}

collective::collective(const ocrEventCollectiveParams_t& p)
    : m_params(p), m_bytes(p.nbDatum * datum_bytes(p.op)), m_contributors(p.nbContribsPd) {}

std::uint8_t collective::contribute(const void* data, std::uint32_t who, fired& next) {
  if (!data) return OCR_EINVAL;
  contributor_state& from = m_contributors[who % m_params.nbContribsPd];
  const std::uint64_t completed = m_first_result + m_results.size(), index = from.given - completed;
  if (index >= m_params.maxGen) return OCR_ENOSPC;
  while (m_open.size() <= index)
    m_open.push_back({std::vector<std::byte>(m_bytes * m_params.nbContribsPd), m_params.nbContribsPd});
  generation& to = m_open[index];
  std::memcpy(to.data.data() + m_bytes * (who % m_params.nbContribsPd), data, m_bytes);
  ++from.given;
  if (--to.missing == 0) complete(next); // the oldest: everybody contributes to one generation after the other
  return 0;
}

void collective::complete(fired& next) {
  generation& of = m_open.front();
  for (std::uint32_t i = 1; i < m_params.nbContribsPd; ++i)
    combine(m_params.op, of.data.data(), of.data.data() + i * m_bytes, m_params.nbDatum);
  reference result = m_params.reuseDbPerGen && m_reused != 0 ? resolve(m_reused, kind::block) : reference{};
  if (!result) result = make_block(m_bytes, DB_PROP_NO_ACQUIRE, nullptr, nullptr, true);
  if (m_params.reuseDbPerGen) m_reused = result.guid;
  std::memcpy(result.at->as<block>().data, of.data.data(), m_bytes);
  m_open.pop_front();
  m_results.push_back(result.guid);
  waiter* last = nullptr;
  for (contributor_state& one : m_contributors) {
    if (one.dependences.empty()) continue;
    waiter* const made = make_waiter(one.dependences.front());
    one.dependences.pop_front();
    ++one.taken;
    (last ? last->next : next.more) = made;
    last = made;
  }
  next.db = result.guid;
  forget_taken();
}

std::uint8_t collective::add(std::uint32_t who, const target& to, fired& now) {
  contributor_state& by = m_contributors[who % m_params.nbContribsPd];
  if (by.taken < m_first_result + m_results.size()) {
    now.first = to;
    now.db = m_results[by.taken - m_first_result];
    ++by.taken;
    forget_taken();
  } else {
    by.dependences.push_back(to);
  }
  return 0;
}

void collective::forget_taken() noexcept {
  for (; !m_results.empty(); m_results.pop_front(), ++m_first_result) {
    for (const contributor_state& one : m_contributors) {
      if (one.taken == m_first_result) return;
    }
  }
}

} // namespace treadle::ocr
