// The parquet equations' pattern of communication: each locality computes its matrices, and then asks the others for
// single elements of theirs.
#include "common/arguments.hpp"
#include "common/localities_run.hpp"
#include "parquet/tensors.hpp"

#include <treadle/algorithm/for_loop.hpp>
#include <treadle/runtime.hpp>

#include <algorithm>
#include <atomic>

namespace {

using namespace parquet;

struct arguments {
  std::size_t n = 16;
  std::size_t iterations = 20;
  bool check = false;
  bool json = false;
};

constexpr const char* k_about = R"(An iteration as that of the parquet equations of many-body physics: products of local
matrices, and then the exchange of frequencies, for which each element is asked for where it is.

  treadle run -n 2 -- parquet --n 16 --iterations 50 --check
  TREADLE_COALESCING=paper:4,5000 treadle run -n 2 -- parquet --json)";

/// What others may ask for: set before the first barrier.
slices* ladder_here = nullptr;
element element_of(std::size_t k, std::size_t p, std::size_t q) { return ladder_here->at(k, p, q); }

/// Consecutive values of the last frequency belong to a locality.
struct distribution {
  std::size_t n, localities;
  std::size_t first(std::size_t rank) const noexcept { return n * rank / localities; }
  treadle::locality owner(std::size_t q) const noexcept {
    std::size_t rank = q * localities / n;
    while (q >= first(rank + 1)) ++rank;
    return treadle::locality(static_cast<unsigned>(rank));
  }
};

void contract(const slices& vertex, slices& ladder) {
  const std::size_t n = vertex.n();
  treadle::for_loop(treadle::par, std::size_t{0}, n * vertex.count(),
                    [&](std::size_t i) { contract_row(vertex, ladder, i % n, vertex.first() + i / n); });
}

void exchange(slices& vertex, const distribution& over) {
  const std::size_t n = vertex.n();
  struct asked {
    place at;
    treadle::future<element> from;
  };
  std::vector<asked> all;
  all.reserve(n * n * vertex.count());
  for (std::size_t q = vertex.first(); q < vertex.first() + vertex.count(); ++q) {
    for (std::size_t k = 0; k < n; ++k) {
      for (std::size_t p = 0; p < n; ++p) {
        const place at{k, p, q}, from = crossed(n, at);
        all.push_back({at, treadle::async<treadle::direct<element_of>>(over.owner(from.q), from.k, from.p, from.q)});
      }
    }
  }
  for (asked& one : all) vertex.at(one.at.k, one.at.p, one.at.q) = next_vertex(n, one.at, one.from.get());
}

bool is_as_serial(const slices& vertex, std::size_t iterations) {
  const slices whole = serial(vertex.n(), iterations);
  for (std::size_t q = vertex.first(); q < vertex.first() + vertex.count(); ++q)
    for (std::size_t k = 0; k < vertex.n(); ++k)
      for (std::size_t p = 0; p < vertex.n(); ++p)
        if (vertex.at(k, p, q) != whole.at(k, p, q)) return false;
  return true;
}

bool iterate(const arguments& a, treadle::communicator& all, apps::phases& measured) {
  const distribution over{a.n, all.size()};
  const std::size_t first = over.first(all.rank()), count = over.first(all.rank() + 1) - first;
  slices vertex(a.n, first, count), ladder(a.n, first, count);
  for (std::size_t q = first; q < first + count; ++q)
    for (std::size_t k = 0; k < a.n; ++k)
      for (std::size_t p = 0; p < a.n; ++p) vertex.at(k, p, q) = bare(a.n, {k, p, q});
  ladder_here = &ladder;
  for (std::size_t i = 0; i < a.iterations; ++i) {
    measured.begin();
    contract(vertex, ladder);
    treadle::barrier(all).get(); // all ladders are whole
    exchange(vertex, over);
    measured.end();                                           // and asked for by nobody any more
    treadle::coalescing_event<treadle::direct<element_of>>(); // for those who search by events
  }
  return apps::all_are(all, !a.check || is_as_serial(vertex, a.iterations));
}

int run(int argc, char** argv) {
  auto options = treadle::runtime_options::from_arguments(argc, argv);
  arguments a;
  CLI::App app(k_about, "parquet");
  app.option_defaults()->always_capture_default();
  apps::add_number(app, "--n", a.n, 1, 256, "frequencies; a tensor has n^3 elements");
  apps::add_number(app, "--iterations", a.iterations, 0, 1'000'000, "how often");
  app.add_flag("--check", a.check, "compare with the same by one thread, bit by bit");
  app.add_flag("--json", a.json, "print one JSON object");
  if (const auto said = apps::parse(app, argc, argv)) return *said;
  treadle::runtime runtime(options);
  const treadle::localities here;
  treadle::communicator all("parquet");
  if (all.size() > a.n)
    throw std::invalid_argument("--n " + std::to_string(a.n) + ": fewer frequencies than localities, " +
                                std::to_string(all.size()));
  apps::phases measured(all, "element_of");
  const bool is_right = apps::run_together("parquet", [&] { return iterate(a, all, measured); });
  const std::string n = std::to_string(a.n);
  return apps::report(all, measured, a.json, "\"n\": " + n,
                      n + "^3 elements, " + std::to_string(a.iterations) + " iterations", {is_right, a.check});
}

} // namespace

int main(int argc, char** argv) { return apps::run_program("parquet", argc, argv, run); }
