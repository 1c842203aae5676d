#include "model/check/mutant.hpp"

#include "model/check/source.hpp"

#include <cstring>

namespace treadle::check {
namespace {

const std::vector<mutant>* g_planted = nullptr;
std::set<order_site>* g_recorded = nullptr;

bool is_product(const char* file) { return !std::strstr(file, "/tests/"); }

bool is_site(const order_site& site, operation what, const std::source_location& where) {
  return site.line == where.line() && site.column == where.column() && site.what == what &&
         site.file == where.file_name();
}

} // namespace

planted::planted(const std::vector<mutant>& mutants) { g_planted = &mutants; }
planted::~planted() { g_planted = nullptr; }
recording::recording() { g_recorded = &m_sites; }
recording::~recording() { g_recorded = nullptr; }

order effective_order(operation what, order named, const std::source_location& where) {
  if (g_recorded && is_product(where.file_name())) {
    g_recorded->insert({where.file_name(), where.line(), where.column(), what, named});
  }
  if (!g_planted) return named;
  for (const mutant& m : *g_planted) {
    if (is_site(m.site, what, where)) return m.weakened;
  }
  return named;
}

bool fence_is_present(operation what, const std::source_location& where) {
  return effective_order(what, order::seq_cst, where) == order::seq_cst;
}

std::vector<mutant> weaken(const order_site& site) {
  const bool reads = site.what == operation::load || site.what == operation::failed_exchange;
  switch (site.named) {
  case order::relaxed:
    return {};
  case order::acquire:
  case order::release:
    return {{site, order::relaxed}};
  case order::acq_rel:
    return {{site, order::acquire}, {site, order::release}};
  case order::seq_cst:
    break;
  }
  if (site.what == operation::light_fence || site.what == operation::heavy_fence) return {{site, order::relaxed}};
  return {{site, reads ? order::acquire : site.what == operation::store ? order::release : order::acq_rel}};
}

std::string describe(const mutant& m) {
  std::string text = short_name(m.site.file) + ":" + std::to_string(m.site.line) + " " + name_of(m.site.what);
  if (m.site.what == operation::light_fence || m.site.what == operation::heavy_fence) return text + " removed";
  return text + " " + name_of(m.site.named) + " -> " + name_of(m.weakened);
}

const char* name_of(order o) {
  switch (o) {
  case order::relaxed:
    return "relaxed";
  case order::acquire:
    return "acquire";
  case order::release:
    return "release";
  case order::acq_rel:
    return "acq_rel";
  case order::seq_cst:
    return "seq_cst";
  }
  return "?";
}

const char* name_of(operation o) {
  switch (o) {
  case operation::load:
    return "load";
  case operation::store:
    return "store";
  case operation::exchange:
    return "exchange";
  case operation::compare_exchange:
    return "compare_exchange";
  case operation::failed_exchange:
    return "failing compare_exchange";
  case operation::fetch:
    return "fetch";
  case operation::light_fence:
    return "light_fence";
  case operation::heavy_fence:
    return "heavy_fence";
  }
  return "?";
}

} // namespace treadle::check
