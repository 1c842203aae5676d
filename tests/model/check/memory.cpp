#include "model/check/memory.hpp"

namespace treadle::check {
namespace {

bool acquires(order o) { return o == order::acquire || o == order::acq_rel || o == order::seq_cst; }
bool releases(order o) { return o == order::release || o == order::acq_rel || o == order::seq_cst; }

} // namespace

void memory::add_thread(unsigned parent) {
  knowledge t;
  if (parent != k_nobody) t.now = m_threads[parent].now;
  m_threads.push_back(std::move(t));
}

std::uint32_t memory::add_location(unsigned creator, std::uint64_t value) {
  place l;
  l.creator = creator;
  l.created = creator == k_nobody ? 0 : tick(creator);
  l.stores.push_back({value, creator, {}});
  m_locations.push_back(std::move(l));
  return static_cast<std::uint32_t>(m_locations.size() - 1);
}

const char* memory::access(unsigned thread, std::uint32_t index) {
  if (index >= m_locations.size() || m_locations[index].destroyed) return "use of an atomic after its destruction";
  place& l = m_locations[index];
  if (!knows(thread, l.creator, l.created)) return "data race: use of an atomic whose construction is not visible";
  l.accessed[thread] = tick(thread);
  return nullptr;
}

const char* memory::destroy(unsigned thread, std::uint32_t index) {
  if (index >= m_locations.size() || m_locations[index].destroyed) return "an atomic is destroyed twice";
  place& l = m_locations[index];
  l.destroyed = true;
  for (unsigned t = 0; t < m_threads.size(); ++t) {
    if (!knows(thread, t, l.accessed[t])) return "data race: an atomic is destroyed while another thread uses it";
  }
  return nullptr;
}

std::uint32_t memory::oldest_readable(unsigned thread, std::uint32_t location, order o) const {
  const std::uint32_t oldest = m_threads[thread].now.oldest(location);
  return o == order::seq_cst ? std::max(oldest, m_seq_cst.oldest(location)) : oldest;
}

void memory::read(unsigned thread, std::uint32_t location, std::uint32_t store, order o) {
  auto& t = m_threads[thread];
  t.now.raise(location, store); // coherence: nothing older from now on
  if (o == order::seq_cst) m_seq_cst.raise(location, store);
  (acquires(o) ? t.now : t.pending).join(m_locations[location].stores[store].released);
}

void memory::write(unsigned thread, std::uint32_t location, std::uint64_t value, order o, bool continues) {
  auto& t = m_threads[thread];
  auto& stores = m_locations[location].stores;
  const auto index = static_cast<std::uint32_t>(stores.size());
  t.now.raise(location, index);
  if (o == order::seq_cst) m_seq_cst.raise(location, index);
  view released = releases(o) ? t.now : t.released;
  if (continues) released.join(stores.back().released);
  stores.push_back({value, thread, std::move(released)});
}

void memory::fence(unsigned thread, order o) {
  auto& t = m_threads[thread];
  if (acquires(o)) t.now.join(t.pending);
  if (o == order::seq_cst) {
    t.now.join_seen(m_seq_cst);
    m_seq_cst.join_seen(t.now);
  }
  if (releases(o)) t.released = t.now;
}

void memory::light_fence(unsigned thread) {
  auto& t = m_threads[thread];
  t.now.join_seen(m_heavy);
  m_light.join_seen(t.now);
}

void memory::heavy_fence(unsigned thread) {
  m_threads[thread].now.join_seen(m_light);
  fence(thread, order::seq_cst);
  m_heavy.join_seen(m_threads[thread].now);
}

} // namespace treadle::check
