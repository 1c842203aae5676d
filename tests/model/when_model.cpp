// src/task/wait/{input_hooks,required_inputs}.hpp: the one that waits for one of several states leaves no hook behind
// in the others, also when the result is dropped before.
#include "model/protocols.hpp"
#include "model/small_state.hpp"
#include "task/wait/required_inputs.hpp"

namespace treadle::check {
namespace {

/// As when_state in include/treadle/when.hpp: a state that owns its inputs and is completed by this many of them.
struct some_ready;
struct result_of {
  some_ready* result;
  detail::continuation* publish() const noexcept;
};
using some_inputs = detail::required_inputs<small_state, result_of>;

struct some_ready {
  some_ready(unsigned n, std::vector<small_state*> of, plain<int>& counted)
      : required(n), inputs(std::move(of)), hooks(new some_inputs(n, inputs, {this})), live(counted) {
    live = live + 1;
    for (auto* input : inputs) input->add_ref();
  }
  ~some_ready() {
    hooks->close();
    for (auto* input : inputs) input->release();
    live = live - 1;
  }
  void release() noexcept {
    if (owners.drop()) delete this;
  }

  detail::reference_count owners;
  detail::continuation_list waiting;
  const unsigned required;
  std::vector<small_state*> inputs;
  some_inputs* const hooks;
  plain<int>& live;
  plain<int> value = 0;
};

detail::continuation* result_of::publish() const noexcept {
  require(result->value == 0, "it is decided once");
  unsigned ready = 0;
  for (auto* input : result->inputs) ready += input->is_ready();
  require(ready >= result->required, "this many are ready");
  result->value = 1;
  return result->waiting.publish();
}

/// Looks at the value and drops the result, as a continuation may.
struct consumer final : detail::continuation {
  explicit consumer(some_ready& r) : result(&r) {}
  void fire() noexcept override {
    require(result->value == 1, "the value is there");
    result->release();
  }
  some_ready* result;
};

enum class end { keeps, drops, consumes }; // what becomes of the result

/// Inputs that become ready while somebody begins to wait for some of them; `late` ones stay after them.
void wait_for_some(unsigned required, unsigned ready, unsigned late, end what) {
  plain<int> live = 0;
  std::vector<small_state*> inputs;
  for (unsigned i = 0; i < ready + late; ++i) inputs.push_back(new small_state);
  auto* result = new some_ready(required, inputs, live);
  consumer last(*result);
  std::vector<std::function<void()>> threads{[&] {
    result->hooks->start();
    if (what == end::drops) result->release();
    if (what == end::consumes && !result->waiting.try_attach(last)) last.fire();
  }};
  for (unsigned i = 0; i < ready; ++i) threads.push_back([&, i] { inputs[i]->complete(); });
  in_parallel(threads);
  if (what == end::keeps) {
    require(result->waiting.is_ready() && result->value == 1, "it is decided when enough are ready");
    result->release();
  }
  require(live == 0, "the result has gone");
  for (auto* input : inputs) {
    require(input->is_ready() || input->waiting.publish() == nullptr, "no list has a hook any more");
    require(input->owners.drop(), "nobody else keeps the input");
    delete input;
  }
}

/// Two results wait for one input between others who do: one result is dropped, the other gets another input, while
/// that input becomes ready, or stays.
void two_results(bool completes) {
  plain<int> live = 0;
  auto *shared = new small_state, *other = new small_state;
  auto* dropped = new some_ready(1, {shared}, live);
  auto* kept = new some_ready(1, {shared, other}, live);
  auto* last = new some_ready(1, {shared}, live);
  for (auto* result : {dropped, kept, last}) result->hooks->start();
  std::vector<std::function<void()>> threads{[&] { dropped->release(); }, [&] { other->complete(); }};
  if (completes) threads.push_back([&] { shared->complete(); });
  in_parallel(threads);
  require(kept->waiting.is_ready() && kept->value == 1, "it has an input");
  require(last->waiting.is_ready() == completes, "its hook stays until it has its input");
  kept->release();
  if (!completes) shared->complete();
  require(last->waiting.is_ready(), "its hook has stayed");
  last->release();
  require(live == 0, "the results have gone");
  for (auto* input : {shared, other}) {
    require(input->is_ready() && input->owners.drop(), "nobody else keeps the input");
    delete input;
  }
}

} // namespace

std::vector<scenario> when_scenarios() {
  return {
      {"when_any_of_one", [] { wait_for_some(1, 1, 0, end::keeps); }},
      {"when_any_leaves_none_behind", [] { wait_for_some(1, 1, 1, end::keeps); }},
      {"when_any_dropped", [] { wait_for_some(1, 1, 0, end::drops); }},
      {"when_any_dropped_leaves_none_behind", [] { wait_for_some(1, 1, 1, end::drops); }},
      {"when_any_consumed", [] { wait_for_some(1, 1, 1, end::consumes); }},
      {"when_any_of_two", [] { wait_for_some(1, 2, 0, end::keeps); }},
      {"when_two_of_three", [] { wait_for_some(2, 2, 1, end::keeps); }},
      {"when_all_of_two", [] { wait_for_some(2, 2, 0, end::keeps); }},
      {"when_any_of_two_dropped", [] { wait_for_some(1, 2, 0, end::drops); }},
      {"when_two_results_leave", [] { two_results(false); }},
      {"when_two_results_leave_or_fire", [] { two_results(true); }},
  };
}

} // namespace treadle::check
