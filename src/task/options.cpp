#include "task/options.hpp"

#include "topology/usable_cores.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <stdexcept>
#include <string_view>

namespace treadle {

namespace {

constexpr std::size_t k_workers_max = 4096;
constexpr std::size_t k_stack_bytes_min = 16 * 1024;
constexpr std::size_t k_stack_bytes_max = std::size_t{1} << 32;
constexpr std::size_t k_stack_bytes_default = (detail::k_sanitized ? 1024 : 256) * 1024;

std::size_t parse(std::string_view name, std::string_view text, std::size_t min, std::size_t max) {
  std::size_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || value < min || value > max) {
    throw std::invalid_argument(std::string(name) + ": expected a number from " + std::to_string(min) + " to " +
                                std::to_string(max) + ", got '" + std::string(text) + "'");
  }
  return value;
}

std::size_t from_environment(const char* name, std::size_t min, std::size_t max, std::size_t otherwise = 0) {
  const char* text = std::getenv(name);
  return text && *text ? parse(name, text, min, max) : otherwise;
}

} // namespace

runtime_options runtime_options::from_arguments(int& argc, char** argv) {
  constexpr std::string_view k_prefix = "--treadle:";
  runtime_options options;
  int kept = argc > 0 ? 1 : 0;
  for (int i = kept; i < argc; ++i) {
    const std::string_view argument = argv[i];
    if (!argument.starts_with(k_prefix)) {
      argv[kept++] = argv[i];
      continue;
    }
    const std::size_t equals = argument.find('=');
    const std::string_view name = argument.substr(0, equals);
    const std::string_view text = equals == argument.npos ? std::string_view() : argument.substr(equals + 1);
    if (name == "--treadle:workers") {
      options.workers = static_cast<unsigned>(parse(name, text, 1, k_workers_max));
    } else if (name == "--treadle:stack-bytes") {
      options.stack_bytes = parse(name, text, k_stack_bytes_min, k_stack_bytes_max);
    } else if (name == "--treadle:pools") {
      options.pools = text;
    } else if (name == "--treadle:nudge") {
      options.nudge = parse(name, text, 0, 1) != 0;
    } else {
      throw std::invalid_argument("unknown option '" + std::string(name) +
                                  "'; known: --treadle:workers=N, --treadle:stack-bytes=N, --treadle:pools=NAME:N,..., "
                                  "--treadle:nudge=0");
    }
  }
  argc = kept;
  argv[argc] = nullptr;
  return options;
}

namespace detail {

runtime_options resolve(runtime_options options) {
  if (options.workers == 0) {
    options.workers = static_cast<unsigned>(from_environment("TREADLE_WORKERS", 1, k_workers_max));
  }
  if (options.workers == 0) options.workers = usable_cores();
  if (options.workers > k_workers_max) {
    throw std::invalid_argument("runtime_options::workers: at most " + std::to_string(k_workers_max));
  }
  if (options.stack_bytes == 0) {
    options.stack_bytes = from_environment("TREADLE_STACK_BYTES", k_stack_bytes_min, k_stack_bytes_max);
  }
  if (options.stack_bytes == 0) options.stack_bytes = k_stack_bytes_default;
  if (options.stack_bytes < k_stack_bytes_min || options.stack_bytes > k_stack_bytes_max) {
    throw std::invalid_argument("runtime_options::stack_bytes: expected 16384 to 4294967296");
  }
  if (options.pools.empty()) {
    if (const char* pools = std::getenv("TREADLE_POOLS")) options.pools = pools;
  }
  if (options.nudge) options.nudge = from_environment("TREADLE_NUDGE", 0, 1, 1) != 0;
  return options;
}

std::vector<pool_options> all_pools(const runtime_options& resolved) {
  const auto refuse = [&](const std::string& why) {
    throw std::invalid_argument("runtime_options::pools '" + resolved.pools + "': " + why);
  };
  std::vector<pool_options> pools{{"default", resolved.workers}};
  std::string_view rest = resolved.pools;
  while (!rest.empty()) {
    const std::string_view one = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(one.size() + 1, rest.size()));
    const std::size_t colon = one.find(':');
    if (colon == one.npos) refuse("expected NAME:WORKERS, got '" + std::string(one) + "'");
    if (rest.empty() && resolved.pools.back() == ',') refuse("expected NAME:WORKERS after the last comma");
    const std::string name(one.substr(0, colon));
    constexpr std::string_view k_letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_";
    if (name.empty() || name.size() > 15 || name.find_first_not_of(k_letters) != name.npos) {
      refuse("'" + name + "' is no name for a pool (1 to 15 letters, digits, '-' and '_')");
    }
    for (const pool_options& other : pools) {
      if (other.name == name) refuse("there are two pools '" + name + "'");
    }
    pools.push_back({name, static_cast<unsigned>(
                               parse("workers of pool '" + name + "'", one.substr(colon + 1), 1, k_workers_max))});
  }
  return pools;
}

} // namespace detail

} // namespace treadle
