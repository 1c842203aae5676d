#include "agent/decision_log.hpp"
#include "agent/server.hpp"
#include "agent/simulation/simulation.hpp"
#include "agent/transport.hpp"

#include <treadle/observe/programs.hpp>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <cstdio>
#include <exception>
#include <fstream>
#include <iostream>
#include <stdexcept>
#include <string>
#include <vector>

#include <sys/resource.h>

namespace {

using nlohmann::json;

/// "name=value": a number, true, false, or a text.
void add_setting(json& to, const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0)
    throw std::invalid_argument("--set: expected NAME=VALUE, got '" + text + "'");
  const std::string value = text.substr(equals + 1);
  json parsed = json::parse(value, nullptr, false);
  to[text.substr(0, equals)] = parsed.is_discarded() ? json(value) : parsed;
}

/// Each program costs two descriptors.
void allow_all_descriptors() {
  rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

int replay(const std::string& file) {
  const treadle::agent::replayed result = treadle::agent::replay(file);
  std::printf("%zu decisions made again, %zu different\n", result.decisions, result.different);
  if (result.different != 0) std::printf("%s\n", result.first_difference.c_str());
  return result.different == 0 ? 0 : 1;
}

/// Each line is a scenario; a line with its result, or with what is wrong, for each.
int simulate(const std::string& file) {
  std::ifstream opened;
  if (file != "-") opened.open(file);
  std::istream& lines = file == "-" ? std::cin : opened;
  if (!lines) throw std::runtime_error("cannot read " + file);
  bool is_right = true;
  for (std::string line; std::getline(lines, line);) {
    json result;
    try {
      result = to_json(treadle::agent::simulate(treadle::agent::scenario_from_json(json::parse(line))));
    } catch (const std::exception& e) {
      result = {{"error", e.what()}};
      is_right = false;
    }
    std::cout << result.dump(-1, ' ', false, json::error_handler_t::replace) << std::endl;
  }
  return is_right ? 0 : 1;
}

} // namespace

int main(int argc, char** argv) {
  CLI::App app(R"(Shares the cores of this machine out to the programs that use Treadle.

Programs of this user find it by themselves and follow it within milliseconds; when it ends they are free again.
Look at it with `treadle agent status`. SIGINT, SIGTERM and SIGHUP end it.)",
               "treadle-agent");
  treadle::agent::server_options options;
  options.folder = treadle::program_directory();
  std::string strategy, log, scenarios;
  bool makes_keys = false;
  std::vector<std::string> settings;
  app.add_option("--folder", options.folder, "where its socket, log and settings are")->capture_default_str();
  app.add_option(
      "--strategy", strategy,
      "weighted (unless another was chosen before: settings are kept), efficiency, producer-consumer-pi; the "
      "paper's even, half-to-priority, stack, static, producer-consumer");
  app.add_option("--set", settings,
                 "NAME=VALUE, a setting such as period_s=0.1, cores=8, boost=adaptive; may be repeated");
  app.add_option("--listen", options.listen, "tcp://ADDRESS:PORT besides, encrypted by CURVE");
  app.add_option("--keys", options.keys, "file with the keys for --listen");
  app.add_flag("--new-keys", makes_keys, "prints a new pair of keys, for a file that only you can read");
  app.add_option("--replay", log, "makes the decisions of a log, FOLDER/decisions.jsonl, again, and compares them");
  app.add_option("--simulate", scenarios,
                 "a file with a scenario in JSON on each line, - for the standard input: programs and a machine in "
                 "simulated time, with this agent or without; prints a line of results for each. `treadle agent "
                 "simulate` does that for people, docs/guide/agent.md says what is in a scenario");
  app.footer(
      "Exit codes: 0 stopped as told; 1 cannot run, a replay differs, or a scenario is none; 2 wrong arguments.");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? 0 : 2;
  }
  try {
    if (!log.empty()) return replay(log);
    if (!scenarios.empty()) return simulate(scenarios);
    if (makes_keys) return std::fputs(treadle::agent::new_keys().c_str(), stdout) < 0;
    json changes = json::object();
    if (!strategy.empty()) changes["strategy"] = strategy;
    try {
      for (const std::string& one : settings) add_setting(changes, one);
    } catch (const std::invalid_argument& e) {
      std::fprintf(stderr, "treadle-agent: %s\n", e.what());
      return 2;
    }
    allow_all_descriptors();
    treadle::agent::server agent(options);
    try {
      if (!changes.empty()) agent.change_settings(changes);
    } catch (const std::invalid_argument& e) {
      std::fprintf(stderr, "treadle-agent: %s\n", e.what());
      return 2;
    }
    agent.run();
    return 0;
  } catch (const std::exception& e) {
    std::fprintf(stderr, "treadle-agent: %s\n", e.what());
    return 1;
  }
}
