#include "compat/ocr/program.hpp"

#include "compat/ocr/arguments.hpp"
#include "compat/ocr/block.hpp"
#include "compat/ocr/cleanup.hpp"
#include "compat/ocr/edt.hpp"
#include "compat/ocr/labels.hpp"
#include "compat/ocr/pause.hpp"
#include "compat/ocr/report.hpp"
#include "compat/ocr/waiting.hpp"

#include <treadle/condition_variable.hpp>
#include <treadle/detail/fence.hpp>
#include <treadle/mutex.hpp>
#include <treadle/runtime.hpp>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <optional>
#include <stdexcept>

namespace treadle::ocr {

using detail::order;

constinit program_state state;

namespace {

std::optional<runtime> own_runtime; // where the program has none
bool begun = false;
mutex stop_lock;
condition_variable stopped;

bool is_asked_for(const char* variable) {
  const char* const value = std::getenv(variable);
  return value && *value != '\0' && std::strcmp(value, "0") != 0;
}

/// Until no EDT can run. Who waits inside of an EDT for what does not come is told when the program is stopped.
void come_to_rest() { runtime::current().wait_idle(); }

void start_main(ocrEdt_t main, int argc, const char* const* argv) {
  const reference arguments = pack_arguments(argc, argv);
  label_claim none(nullptr, 0, GUID_USER_NONE);
  edt& first = edt::make({main, "mainEdt", 0, 1}, nullptr, none);
  publish(first.at());
  static_cast<void>(first.satisfy(0, arguments.guid, DB_DEFAULT_MODE));
  if (first.satisfy_makers()) first.start();
}

} // namespace

bool is_begun() noexcept { return begun; }

void begin_program(const run_options& options) {
  if (begun) throw std::logic_error("OCR: a program is there already");
  open_arena();
  if (!runtime::current_or_null() || options.workers != 0)
    own_runtime.emplace(runtime_options{.workers = options.workers});
  state.is_checking = options.is_checked || is_asked_for("TREADLE_OCR_CHECK");
  state.passes_blocks = is_asked_for("TREADLE_OCR_PASS_BLOCKS");
  state.prints = options.prints_reports;
  state.code.store(0, order::relaxed);
  state.was_stopped.store(0, order::relaxed);
  state.stopping.store(0, order::release); // new EDTs run
  begun = true;
}

void stop(int code) noexcept {
  std::uint32_t expected = 0;
  if (state.was_stopped.compare_exchange(expected, 1, order::relaxed, order::relaxed))
    state.code.store(code, order::relaxed);
  state.stopping.store(1, order::seq_cst);
  detail::heavy_fence(); // who begins to wait from here on sees it
  wake_all_waiting();
  wake_label_waiters();
  end_pause();
  const std::lock_guard guard(stop_lock);
  stopped.notify_all();
}

outcome end_program(ends when) {
  if (when == ends::when_stopped) { // threads of the program may go on to make EDTs, so that rest is not the end
    std::unique_lock guard(stop_lock);
    stopped.wait(guard, is_stopping);
  }
  come_to_rest();
  const bool was_stopped = state.was_stopped.load(order::relaxed) != 0; // who stopped has come to rest
  const bool is_stuck = !was_stopped && when == ends::when_stopped_or_idle;
  if (state.is_checking || is_stuck) note_leftovers(is_stuck);
  stop(is_stuck ? 1 : 0);
  come_to_rest();
  clean_up();
  own_runtime.reset();
  outcome result{state.code.load(order::relaxed), take_reports()};
  if (state.prints) {
    for (const std::string& line : result.reports) std::fprintf(stderr, "%s\n", line.c_str());
  }
  begun = false;
  return result;
}

outcome run(ocrEdt_t main, int argc, const char* const* argv, const run_options& options) {
  begin_program(options);
  start_main(main, argc, argv);
  return end_program(ends::when_stopped_or_idle);
}

} // namespace treadle::ocr
