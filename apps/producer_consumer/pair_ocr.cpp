// The program `producer_consumer_ocr`: on the C interface of the Open Community Runtime, with the same kernels. Each
// item is a finish EDT that makes an EDT for each task; the EDT behind it writes or reads files, and begins the next
// item.
#include "producer_consumer/program.hpp"

#include "common/ocr_main.hpp"

#include "extensions/ocr-runtime-itf.h"
#include "extensions/ocr-vx.h"

#include <algorithm>
#include <optional>

namespace {

using namespace items;

/// Of this process.
struct state {
  settings how;
  timeline times;
  std::uint64_t sum = 0;
  ocrGuid_t item_template, task_template, end_template;
};
std::optional<state> g_state;

ocrGuid_t new_edt(ocrGuid_t of, u64* params, ocrGuid_t* deps, u16 properties = EDT_PROP_NONE,
                  ocrGuid_t* output = nullptr) {
  ocrGuid_t made;
  ocrEdtCreate(&made, of, EDT_PARAM_DEF, params, EDT_PARAM_DEF, deps, properties, NULL_HINT, output);
  return made;
}

/// paramv: item, task; slots: the numbers of the item, which all tasks write to.
ocrGuid_t task(u32, u64* paramv, u32, ocrEdtDep_t depv[]) {
  std::uint64_t& number = static_cast<std::uint64_t*>(depv[0].ptr)[paramv[1]];
  number = compute(number, g_state->how.of.steps(paramv[0]));
  return NULL_GUID;
}

ocrGuid_t item(u32, u64* paramv, u32, ocrEdtDep_t depv[]) {
  for (u64 k = 0; k < g_state->how.of.tasks; ++k) {
    u64 params[] = {paramv[0], k};
    new_edt(g_state->task_template, params, &depv[0].guid);
  }
  return NULL_GUID;
}

void begin_item(u64 iteration) {
  const settings& s = g_state->how;
  if (!s.is_producer) ocrProgressReport(iteration); // that it is about to begin
  void* memory;
  ocrGuid_t block, ended;
  ocrDbCreate(&block, &memory, s.of.tasks * sizeof(std::uint64_t), DB_PROP_NONE, NULL_HINT, NO_ALLOC);
  auto* const numbers = static_cast<std::uint64_t*>(memory);
  if (s.is_producer) {
    for (std::size_t k = 0; k < s.of.tasks; ++k) numbers[k] = seed_of(iteration, k);
  } else {
    const auto taken = take_item(s.folder, iteration, s.of.tasks, std::chrono::duration<double>(s.patience_s));
    std::copy(taken.begin(), taken.end(), numbers);
  }
  ocrDbRelease(block);
  ocrGuid_t missing = UNINITIALIZED_GUID;
  const ocrGuid_t all = new_edt(g_state->item_template, &iteration, &missing, EDT_PROP_FINISH, &ended);
  ocrGuid_t deps[] = {block, ended};
  new_edt(g_state->end_template, &iteration, deps);
  ocrAddDependence(block, all, 0, DB_MODE_RW);
}

void shut_down() {
  for (const ocrGuid_t one : {g_state->item_template, g_state->task_template, g_state->end_template})
    ocrEdtTemplateDestroy(one);
  ocrShutdown();
}

ocrGuid_t end(u32, u64* paramv, u32, ocrEdtDep_t depv[]) {
  const settings& s = g_state->how;
  const auto* const numbers = static_cast<const std::uint64_t*>(depv[0].ptr);
  const std::vector<std::uint64_t> all(numbers, numbers + s.of.tasks);
  ocrDbDestroy(depv[0].guid);
  const int code = apps::run_program("producer_consumer_ocr", 0, nullptr, [&](int, char**) {
    for (const std::uint64_t one : all) g_state->sum += one;
    if (s.is_producer) {
      write_item(s.folder, paramv[0], all);
      ocrProgressReport(paramv[0] + 1);
    }
    g_state->times.note();
    if (paramv[0] + 1 < s.of.iterations) {
      begin_item(paramv[0] + 1);
      return 0;
    }
    const int said =
        say(s, "producer_consumer_ocr", static_cast<unsigned>(ocrNbWorkers()), g_state->times, g_state->sum);
    if (said == 0) shut_down();
    return said;
  });
  if (code != 0) ocrAbort(static_cast<u8>(code));
  return NULL_GUID;
}

} // namespace

extern "C" ocrGuid_t mainEdt(u32, u64*, u32, ocrEdtDep_t depv[]) {
  return apps::run_ocr_program("producer_consumer_ocr", depv[0].ptr, [](int argc, char** argv) -> std::optional<int> {
    settings s;
    CLI::App app(k_about, "producer_consumer_ocr");
    app.footer(k_more);
    s.add_to(app);
    if (const auto said = apps::parse(app, argc, argv)) return said;
    s.check();
    g_state.emplace();
    g_state->how = s;
    ocrEdtTemplateCreate(&g_state->item_template, item, 1, 1);
    ocrEdtTemplateCreate(&g_state->task_template, task, 2, 1);
    ocrEdtTemplateCreate(&g_state->end_template, end, 1, 2);
    begin_item(0);
    return std::nullopt;
  });
}
