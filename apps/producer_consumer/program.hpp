// What both programs say and are told.
#pragma once

#include "common/arguments.hpp"
#include "producer_consumer/item.hpp"

#include <CLI/CLI.hpp>
#include <chrono>
#include <cinttypes>
#include <cstdio>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

namespace items {

struct settings {
  bool is_producer = true;
  std::string folder;
  line of;
  double patience_s = 60;
  std::size_t producer_work = 1000; ///< for the reference of a consumer
  bool verify = false, json = false;

  void add_to(CLI::App& app) {
    app.option_defaults()->always_capture_default();
    app.require_subcommand(1);
    CLI::App* const produce = app.add_subcommand("produce", "makes items");
    CLI::App* const consume = app.add_subcommand("consume", "takes them in their order, and waits for each");
    for (CLI::App* const one : {produce, consume}) {
      constexpr std::size_t k_most = 1u << 30;
      one->add_option("folder", folder, "where the items are")->required();
      apps::add_number(*one, "--iterations", of.iterations, 1, k_most, "items");
      apps::add_number(*one, "--tasks", of.tasks, 1, 1u << 20, "tasks that make or use an item; the same for both");
      apps::add_number(*one, "--work", of.work, 0, k_most, "what each of them costs, in thousands of steps");
      one->add_flag("--verify", verify, "compare what all numbers add up to with a serial run");
      one->add_flag("--json", json, "print one JSON object, with the time at the end of each item");
    }
    produce->add_flag("--up-down", of.up_down, "the cost goes from 0.1 to 4.1 times that, and back, within 40 items");
    consume->add_option("--patience", patience_s, "give up after this many seconds without an item")
        ->check(CLI::Range(0.0, 1e6));
    apps::add_number(*consume, "--producer-work", producer_work, 0, 1u << 30, "--work of the producer, for --verify");
    consume->add_flag("--producer-up-down", producer_up_down, "of the producer, for --verify");
    m_produce = produce;
  }
  /// After the arguments were read.
  void check() {
    is_producer = m_produce->parsed();
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    if (!std::filesystem::is_directory(folder)) throw std::invalid_argument(folder + ": is no folder");
  }
  std::uint64_t reference() const {
    if (is_producer) return serial_sum(of);
    line producer = of;
    producer.work = producer_work;
    producer.up_down = producer_up_down;
    return serial_sum(producer, of);
  }

 private:
  bool producer_up_down = false;
  CLI::App* m_produce = nullptr;
};

constexpr const char* k_about =
    R"(A program that makes items, and one that uses them up, in step with each other or not.

The pair of "Adaptive scheduling of colocated applications using a task-based runtime system": each item is made by
tasks, written to a file, and used up by tasks of another program, which waits where there is none yet.)";
constexpr const char* k_more = R"(
Example, with an agent that keeps eight items between them (treadle agent start --strategy producer-consumer-pi):
  producer_consumer produce items --work 500 & producer_consumer consume items --work 1000
producer_consumer_ocr is the same program written for OCR, with the same options.)";

/// When each item was done.
struct timeline {
  using steady = std::chrono::steady_clock;
  steady::time_point start = steady::now();
  std::vector<double> ends_s = {};

  void note() { ends_s.push_back(std::chrono::duration<double>(steady::now() - start).count()); }
};

/// Prints the result. Returns the exit code.
inline int say(const settings& s, const char* name, unsigned workers, const timeline& times, std::uint64_t sum) {
  const bool is_right = !s.verify || sum == s.reference();
  const char* const role = s.is_producer ? "producer" : "consumer";
  const double seconds = times.ends_s.empty() ? 0 : times.ends_s.back();
  if (s.json) {
    // The clock is the machine's: those of both programs can be compared.
    const double start = std::chrono::duration<double>(times.start.time_since_epoch()).count();
    std::printf(
        "{\"program\": \"%s\", \"role\": \"%s\", \"iterations\": %zu, \"tasks\": %zu, \"work\": %zu, \"workers\": %u, "
        "\"start_s\": %.6f, \"seconds\": %.6f, \"sum\": %" PRIu64 ", \"verified\": %s, \"ends_s\": [",
        name, role, s.of.iterations, s.of.tasks, s.of.work, workers, start, seconds, sum,
        !s.verify  ? "null"
        : is_right ? "true"
                   : "false");
    for (std::size_t i = 0; i < times.ends_s.size(); ++i) std::printf("%s%.6f", i == 0 ? "" : ", ", times.ends_s[i]);
    std::puts("]}");
  } else {
    std::printf("%s: %s of %zu items, %zu tasks each; workers: %u\n%.6f s\n", name, role, s.of.iterations, s.of.tasks,
                workers, seconds);
    if (s.verify) std::puts(is_right ? "verified: equal to the serial run" : "WRONG: not the serial run's");
  }
  return is_right ? 0 : 1;
}

} // namespace items
