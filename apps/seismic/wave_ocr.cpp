// The program `seismic_ocr`: on the C interface of the Open Community Runtime, with the same kernels. An EDT for each
// step of each tile has the tile for writing, and the edges of its neighbours from channels; it makes the next one of
// its tile.
#include "seismic/program.hpp"

#include "common/ocr_main.hpp"

#include "extensions/ocr-runtime-itf.h"
#include "extensions/ocr-vx.h"

#include <atomic>
#include <chrono>
#include <optional>
#include <vector>

namespace {

using seismic::edge, seismic::k_edges;

/// The block that all EDTs read. Behind it: the blocks of tiles, then the channels into each tile, one for each edge.
struct shape {
  seismic::settings how;
  std::chrono::steady_clock::time_point start;
  ocrGuid_t step_template, ended; ///< ended: a latch of all tiles

  static std::size_t bytes(const seismic::plane& p) {
    return sizeof(shape) + (1 + k_edges) * p.count() * sizeof(ocrGuid_t);
  }
  ocrGuid_t* tiles() { return reinterpret_cast<ocrGuid_t*>(this + 1); }
  ocrGuid_t& channel(std::size_t tile, edge e) { return tiles()[how.of.count() + tile * k_edges + e]; }
};

enum slot : u32 { k_shape, k_tile, k_first_edge, k_slots = k_first_edge + k_edges };
constexpr u64 k_report = 64; // EDTs from one report of progress to the next

ocrGuid_t new_block(std::size_t bytes, void** memory) {
  ocrGuid_t block;
  ocrDbCreate(&block, memory, bytes, memory ? DB_PROP_NONE : DB_PROP_NO_ACQUIRE, NULL_HINT, NO_ALLOC);
  return block;
}
ocrGuid_t new_template(ocrEdt_t function, u32 paramc, u32 depc) {
  ocrGuid_t made;
  ocrEdtTemplateCreate(&made, function, paramc, depc);
  return made;
}

/// When a tile has done `steps_done` steps: sends its edges to the neighbours, and makes the task of its next step.
void pass_on(shape& s, ocrGuid_t shape_block, std::size_t tile, const double* numbers, u64 steps_done) {
  const seismic::plane& p = s.how.of;
  const bool is_last = steps_done == p.steps;
  for (const edge e : seismic::k_every_edge) {
    const std::size_t other = neighbour(p, tile, e);
    if (is_last || other == p.count()) continue;
    void* memory;
    const ocrGuid_t block = new_block(p.side * sizeof(double), &memory);
    copy_edge(p, numbers, steps_done, e, static_cast<double*>(memory));
    ocrDbRelease(block);
    ocrEventSatisfy(s.channel(other, seismic::opposite(e)), block);
  }
  ocrDbRelease(s.tiles()[tile]); // for the next one, which may begin before this EDT has ended
  if (is_last) {
    ocrEventSatisfySlot(s.ended, NULL_GUID, OCR_EVENT_LATCH_DECR_SLOT);
    return;
  }
  u64 params[] = {tile, steps_done};
  ocrGuid_t next;
  ocrEdtCreate(&next, s.step_template, EDT_PARAM_DEF, params, EDT_PARAM_DEF, nullptr, EDT_PROP_NONE, NULL_HINT,
               nullptr);
  ocrAddDependence(shape_block, next, k_shape, DB_MODE_RO);
  for (const edge e : seismic::k_every_edge) {
    const bool is_border = neighbour(p, tile, e) == p.count();
    ocrAddDependence(is_border ? NULL_GUID : s.channel(tile, e), next, k_first_edge + static_cast<u32>(e), DB_MODE_RO);
  }
  ocrAddDependence(s.tiles()[tile], next, k_tile, DB_MODE_RW);
}

ocrGuid_t first(u32, u64* paramv, u32, ocrEdtDep_t depv[]) {
  auto& s = *static_cast<shape*>(depv[k_shape].ptr);
  auto* const numbers = static_cast<double*>(depv[k_tile].ptr);
  fill(s.how.of, paramv[0], numbers);
  pass_on(s, depv[k_shape].guid, paramv[0], numbers, 0);
  return NULL_GUID;
}

ocrGuid_t step(u32, u64* paramv, u32, ocrEdtDep_t depv[]) {
  static std::atomic<u64> ended{0};
  auto& s = *static_cast<shape*>(depv[k_shape].ptr);
  auto* const numbers = static_cast<double*>(depv[k_tile].ptr);
  std::array<const double*, k_edges> beyond;
  for (std::size_t e = 0; e < k_edges; ++e) beyond[e] = static_cast<const double*>(depv[k_first_edge + e].ptr);
  advance(s.how.of, paramv[0], numbers, paramv[1], beyond);
  for (std::size_t e = 0; e < k_edges; ++e)
    if (beyond[e]) ocrDbDestroy(depv[k_first_edge + e].guid);
  const u64 n = ended.fetch_add(1, std::memory_order_relaxed) + 1;
  if (n % k_report == 0) ocrProgressReport(n);
  pass_on(s, depv[k_shape].guid, paramv[0], numbers, paramv[1] + 1);
  return NULL_GUID;
}

/// Slots: the latch, the shape, and all tiles.
ocrGuid_t finish(u32, u64*, u32, ocrEdtDep_t depv[]) {
  auto& s = *static_cast<shape*>(depv[1].ptr);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - s.start).count();
  double sum = 0;
  for (std::size_t i = 0; i < s.how.of.count(); ++i)
    sum += sum_of_squares(s.how.of, static_cast<const double*>(depv[2 + i].ptr), s.how.of.steps);
  const int code = say(s.how, "seismic_ocr", static_cast<unsigned>(ocrNbWorkers()), seconds, sum);
  for (std::size_t i = 0; i < s.how.of.count(); ++i) {
    ocrDbDestroy(s.tiles()[i]);
    for (const edge e : seismic::k_every_edge) ocrEventDestroy(s.channel(i, e));
  }
  ocrEdtTemplateDestroy(s.step_template);
  ocrDbDestroy(depv[1].guid);
  code == 0 ? ocrShutdown() : ocrAbort(static_cast<u8>(code));
  return NULL_GUID;
}

void begin(const seismic::settings& how) {
  const seismic::plane& p = how.of;
  void* memory;
  const ocrGuid_t block = new_block(shape::bytes(p), &memory);
  shape& s = *new (memory) shape{how, std::chrono::steady_clock::now(), new_template(step, 2, k_slots), NULL_GUID};
  ocrEventParams_t params;
  params.EVENT_LATCH.counter = p.count();
  ocrEventCreateParams(&s.ended, OCR_EVENT_LATCH_T, EVT_PROP_NONE, &params);
  params.EVENT_CHANNEL = {2, 1, 1}; // a neighbour is one step ahead at most
  for (std::size_t i = 0; i < p.count(); ++i) {
    s.tiles()[i] = new_block(p.numbers() * sizeof(double), nullptr);
    for (const edge e : seismic::k_every_edge)
      ocrEventCreateParams(&s.channel(i, e), OCR_EVENT_CHANNEL_T, EVT_PROP_TAKES_ARG, &params);
  }
  const ocrGuid_t finish_template = new_template(finish, 0, static_cast<u32>(2 + p.count()));
  const ocrGuid_t first_template = new_template(first, 1, 2);
  std::vector<ocrGuid_t> of_last = {s.ended, block};
  of_last.insert(of_last.end(), s.tiles(), s.tiles() + p.count());
  ocrDbRelease(block);
  ocrGuid_t last; // before the tiles, with the last of which the latch is gone
  ocrEdtCreate(&last, finish_template, EDT_PARAM_DEF, nullptr, EDT_PARAM_DEF, of_last.data(), EDT_PROP_NONE, NULL_HINT,
               nullptr);
  for (std::size_t i = 0; i < p.count(); ++i) {
    u64 tile = i;
    ocrGuid_t deps[] = {block, of_last[2 + i]}, edt;
    ocrEdtCreate(&edt, first_template, EDT_PARAM_DEF, &tile, EDT_PARAM_DEF, deps, EDT_PROP_NONE, NULL_HINT, nullptr);
  }
  ocrEdtTemplateDestroy(first_template);
  ocrEdtTemplateDestroy(finish_template);
}

} // namespace

extern "C" ocrGuid_t mainEdt(u32, u64*, u32, ocrEdtDep_t depv[]) {
  return apps::run_ocr_program("seismic_ocr", depv[0].ptr, [](int argc, char** argv) -> std::optional<int> {
    seismic::settings s;
    CLI::App app(seismic::k_about, "seismic_ocr");
    app.footer(seismic::k_more);
    s.add_to(app);
    if (const auto said = apps::parse(app, argc, argv)) return said;
    s.check();
    begin(s);
    return std::nullopt;
  });
}
