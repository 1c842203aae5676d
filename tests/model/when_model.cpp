// src/task/wait/input_hooks.hpp: whoever waits for one of several states leaves no hook behind in the others.
#include "model/protocols.hpp"
#include "model/small_state.hpp"
#include "task/wait/input_hooks.hpp"

namespace treadle::check {
namespace {

/// As ready_counter in src/task/wait/when.cpp, for the first input.
struct first_ready final : detail::input_hooks<small_state, first_ready> {
  first_ready(const std::vector<small_state*>& inputs, plain<int>& n) : input_hooks(inputs), live(n) {
    live = live + 1;
  }
  ~first_ready() { live = live - 1; }
  using input_hooks::attach_hooks;

  void add_ref(std::uint32_t n) noexcept { owners.add(n); }
  void release() noexcept {
    if (owners.drop()) delete this;
  }
  void input_fired(std::size_t) noexcept {
    if (!decide()) return;
    withdraw_hooks();
    require(outcomes == 0, "it is decided once");
    outcomes = 1;
  }

  detail::reference_count owners;
  plain<int>& live;
  plain<int> outcomes = 0;
};

/// The inputs that become ready while somebody begins to wait for the first; `late` ones stay after them.
void wait_for_any(unsigned ready, unsigned late) {
  plain<int> live = 0;
  std::vector<std::unique_ptr<small_state>> states;
  std::vector<small_state*> inputs;
  for (unsigned i = 0; i < ready + late; ++i) {
    states.push_back(std::make_unique<small_state>());
    inputs.push_back(states.back().get());
  }
  auto* waiting = new first_ready(inputs, live);
  std::vector<std::function<void()>> threads{[&] { waiting->attach_hooks(); }};
  for (unsigned i = 0; i < ready; ++i) threads.push_back([&, i] { states[i]->complete(); });
  in_parallel(threads);
  require(waiting->outcomes == 1, "it is decided when an input is ready");
  waiting->release();
  require(live == 0, "no list has a hook any more");
}

} // namespace

std::vector<scenario> when_scenarios() {
  return {
      {"when_any_of_one", [] { wait_for_any(1, 0); }},
      {"when_any_leaves_none_behind", [] { wait_for_any(1, 1); }},
      {"when_any_of_two", [] { wait_for_any(2, 0); }},
  };
}

} // namespace treadle::check
