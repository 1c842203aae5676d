// The runtime of this process as Python sees it: started when first needed, and again for more workers than it has,
// when nothing is running; and the runs in flight.
#pragma once

#include <treadle/arrays/physl.hpp>
#include <treadle/runtime.hpp>

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

namespace treadle::python {

// What Python's threads are told, without the workers ever taking the GIL: text that programs print, and submitted runs
// that are complete.
struct completion {
  std::int64_t ticket = 0;
  value result;
  std::exception_ptr error;
};

// What a program printed: text, or the values of one print().
struct printed {
  std::string text;
  std::vector<value> values;
  bool is_text = false;
};

// One submitted run. It can be cancelled until a worker takes it up; afterwards `cancel` stops it at its next call or
// loop.
struct submission {
  enum state : int { waiting, running, cancelled };
  submission(std::int64_t t, physl::program p, std::vector<value> a, physl::run_options o)
      : ticket(t), program(std::move(p)), arguments(std::move(a)), options(std::move(o)) {
    options.cancel = &cancel;
  }
  std::int64_t ticket;
  physl::program program;
  std::vector<value> arguments;
  physl::run_options options;
  std::atomic<int> stage{waiting};
  std::atomic<bool> cancel{false};
};

// Makes `options` print to the session and run on its workers; the runtime stays while it lives.
class running {
 public:
  // `workers` 0: as many as there are, or the default. Another number counts from now on for all that runs; more than
  // the runtime has wait until nothing runs. Starts no runtime if the policy needs none.
  running(const physl::run_options& options, unsigned workers);
  ~running();
  running(const running&) = delete;
  running& operator=(const running&) = delete;
};

// Lets Python act on signals; throws what their handlers raise. Call without the GIL.
void check_signals();

void start_runtime(unsigned workers); // 0: the default number
void stop_runtime();                  // waits for what runs; blocks, call without the GIL
void cancel_submissions();            // all of them, at their next call or loop turn
unsigned runtime_workers() noexcept;  // that may be active; 0: not running
runtime_statistics statistics();      // zeros when not running
void forget_after_fork() noexcept;    // in the child: its parent's workers do not exist here
void forget_events_after_fork() noexcept;

void submit(std::shared_ptr<submission> work, unsigned workers);

// Output of programs and completions, in order of arrival.
void write_output(void* context, std::string_view text); // a physl::run_options::write
void add_completion(completion done);
void print_values(void* context, std::span<const value> values); // a physl::run_options::print
std::vector<printed> take_output();
std::vector<completion> take_completions();
bool wait_for_events(); // blocks until there is output or a completion; false once `close_events` was called
void close_events();

} // namespace treadle::python
