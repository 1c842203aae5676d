#include "model/check/explore.hpp"

#include "model/check/execution.hpp"

#include <cstdlib>
#include <string_view>

namespace treadle::check {
namespace {

std::uint64_t number_from(const char* variable, std::uint64_t otherwise) {
  const char* text = std::getenv(variable);
  const std::uint64_t value = text ? std::strtoull(text, nullptr, 10) : 0;
  return value ? value : otherwise;
}

/// The decisions to replay, when it is this exploration that was asked for.
std::optional<std::string> asked_for(std::string_view name) {
  const char* text = std::getenv("TREADLE_MODEL_REPLAY");
  if (!text) return {};
  const std::string_view line = text;
  if (line.size() <= name.size() || !line.starts_with(name) || line[name.size()] != ':') return {};
  return std::string(line.substr(name.size() + 1));
}

struct exploration {
  const char* name;
  const std::function<void()>& program;
  fiber_pool& fibers;
  result found = {};

  /// False when an execution failed.
  bool run_with(strategy& decisions, std::uint64_t executions_max) {
    for (std::uint64_t n = 0; n < executions_max; ++n) {
      execution run(decisions, fibers);
      ++found.executions;
      if (const std::string* failure = run.run(program)) {
        found.failure = *failure;
        found.report = std::string(name) + ": " + *failure + "\n" + run.history() +
                       "replay: TREADLE_MODEL_REPLAY=" + name + ":" + run.choices() + "\n";
        return false;
      }
      if (!decisions.next()) {
        found.complete = true;
        break;
      }
    }
    return true;
  }
};

} // namespace

result explore(const char* name, const std::function<void()>& program, limits most) {
  static fiber_pool fibers;
  exploration all{name, program, fibers};
  if (const auto choices = asked_for(name)) {
    all.run_with(*replay(*choices), 1);
    return std::move(all.found);
  }
  constexpr std::uint64_t k_seed = 1;
  const std::uint64_t factor = number_from("TREADLE_MODEL_ITERATIONS", 1);
  const auto preemptions = static_cast<unsigned>(number_from("TREADLE_MODEL_PREEMPTIONS", most.preemptions));
  if (all.run_with(*depth_first(preemptions), most.depth_first * factor) &&
      all.run_with(*priorities(k_seed, 3), most.random * factor)) {
    all.run_with(*random_walk(k_seed), most.random * factor);
  }
  return std::move(all.found);
}

} // namespace treadle::check
