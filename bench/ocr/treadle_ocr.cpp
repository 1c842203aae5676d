#include "compat/ocr/program.hpp"
#include "ocr/config.hpp"

using namespace ocr_bench;

namespace {

ocrGuid_t edt_template, chain_template, block;
long chain_left = 0;

ocrGuid_t count_one(u32, u64*, u32, ocrEdtDep_t*) {
  count_one_more();
  return NULL_GUID;
}

enum class kind { create, slot, event, in_block, chain };
kind measured;

// As a task of the program: what it makes runs when it ends, or when the last one of a finish scope does.
ocrGuid_t make_all(u32, u64*, u32, ocrEdtDep_t*) {
  for (long i = 0; i < k_tasks; ++i) {
    ocrGuid_t edt = NULL_GUID, event = NULL_GUID;
    const u32 depc = measured == kind::create ? 0 : 1;
    ocrEdtCreate(&edt, edt_template, 0, nullptr, depc, nullptr, EDT_PROP_NONE, NULL_HINT, nullptr);
    switch (measured) {
    case kind::slot:
      ocrAddDependence(NULL_GUID, edt, 0, DB_MODE_NULL);
      break;
    case kind::in_block:
      ocrAddDependence(block, edt, 0, DB_MODE_RO);
      break;
    case kind::event:
      ocrEventCreate(&event, OCR_EVENT_ONCE_T, EVT_PROP_NONE);
      ocrAddDependence(event, edt, 0, DB_MODE_NULL);
      ocrEventSatisfy(event, NULL_GUID);
      break;
    default:
      break;
    }
  }
  return NULL_GUID;
}

ocrGuid_t chain_link(u32, u64*, u32, ocrEdtDep_t* depv) {
  count_one_more();
  if (--chain_left == 0) return NULL_GUID;
  ocrGuid_t next = NULL_GUID;
  ocrEdtCreate(&next, chain_template, 0, nullptr, 1, nullptr, EDT_PROP_NONE, NULL_HINT, nullptr);
  const ocrGuid_t db = depv[0].guid;
  ocrDbRelease(db);
  ocrAddDependence(db, next, 0, DB_MODE_RW);
  return NULL_GUID;
}

const char* const k_names[] = {"ocr/create_run", "ocr/slot_run", "ocr/satisfy_run", "ocr/block_run", "ocr/chain"};

ocrGuid_t stop_and_go(u32, u64*, u32, ocrEdtDep_t*);
ocrGuid_t make_template, next_template;
int round_number = 0;
bench::stopwatch* watch = nullptr;

/// One round: a finish EDT that makes all, and this EDT again after that. Each kind has an untimed round first.
ocrGuid_t start_round() {
  ocrGuid_t all = NULL_GUID, ended = NULL_GUID, next = NULL_GUID;
  measured = static_cast<kind>(round_number / 2);
  ocrEdtCreate(&next, next_template, 0, nullptr, 1, nullptr, EDT_PROP_NONE, NULL_HINT, nullptr);
  const bool is_chain = measured == kind::chain;
  ocrEdtCreate(&all, is_chain ? chain_template : make_template, 0, nullptr, 1, nullptr, EDT_PROP_FINISH, NULL_HINT,
               &ended);
  ocrAddDependence(ended, next, 0, DB_MODE_NULL);
  tasks_run = 0;
  chain_left = k_tasks;
  delete watch;
  watch = new bench::stopwatch;
  ocrAddDependence(is_chain ? block : NULL_GUID, all, 0, DB_MODE_RW);
  return NULL_GUID;
}

ocrGuid_t stop_and_go(u32, u64*, u32, ocrEdtDep_t*) {
  const double seconds = watch->seconds();
  if (round_number % 2 == 1)
    bench::print_record(k_names[round_number / 2], seconds, "s", k_tasks, tasks_run == k_tasks, watch->faults());
  if (++round_number < 10) return start_round();
  ocrShutdown();
  return NULL_GUID;
}

ocrGuid_t first(u32, u64*, u32, ocrEdtDep_t*) {
  void* memory = nullptr;
  ocrEdtTemplateCreate(&edt_template, count_one, 0, EDT_PARAM_UNK);
  ocrEdtTemplateCreate(&make_template, make_all, 0, 1);
  ocrEdtTemplateCreate(&next_template, stop_and_go, 0, 1);
  ocrEdtTemplateCreate(&chain_template, chain_link, 0, 1);
  ocrDbCreate(&block, &memory, 64, DB_PROP_NONE, NULL_HINT, NO_ALLOC);
  ocrDbRelease(block);
  return start_round();
}

} // namespace

int main(int argc, char** argv) { treadle::ocr::run(first, 0, nullptr, {.workers = bench::workers_from(argc, argv)}); }
