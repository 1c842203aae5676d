#pragma once

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <cstddef>
#include <cstdio>
#include <exception>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <system_error>
#include <vector>

/// What the programs have in common: numbers as arguments, and what becomes of errors.
namespace apps {

inline CLI::Validator whole_number(std::size_t min, std::size_t max) {
  return CLI::Validator(
      [=](const std::string& text) {
        std::size_t value = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
        const bool good = error == std::errc{} && end == text.data() + text.size() && value >= min && value <= max;
        return good ? std::string()
                    : "expected a whole number from " + std::to_string(min) + " to " + std::to_string(max) + ", not '" +
                          text + "'";
      },
      "");
}

/// An option that takes one.
template <class Number>
CLI::Option* add_number(CLI::App& app, const char* name, Number& value, std::size_t min, std::size_t max,
                        const char* what) {
  return app.add_option(name, value, what)->check(whole_number(min, max))->type_name("N");
}

/// What every program says of a run, and how.
inline void add_outputs(CLI::App& app, std::vector<std::string>& counters, bool& json) {
  app.add_option("--counter", counters, "counters of that run, as in /threads/idle-rate; any number")
      ->type_name("NAME");
  app.add_flag("--json", json, "print one JSON object");
}

/// The exit code when all was said already (--help). Throws CLI::ParseError.
inline std::optional<int> parse(CLI::App& app, int argc, char** argv) {
  try {
    app.parse(argc, argv);
    return std::nullopt;
  } catch (const CLI::Success& asked) {
    return app.exit(asked);
  }
}

/// Throws std::invalid_argument, whose text begins with `what`, when the machine has less memory than this: Linux hands
/// out memory that does not exist, and ends the program that uses it.
inline void check_memory(const std::string& what, double bytes) {
  const double present = static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
  if (bytes <= present) return;
  char sizes[96];
  std::snprintf(sizes, sizeof sizes, ": needs up to %.1f GB, and this machine has %.1f GB", bytes / 1e9, present / 1e9);
  throw std::invalid_argument(what + sizes);
}

/// The whole of main(): what a program was told wrongly is said in one line, with exit code 2. `body` is called with
/// the arguments and returns the exit code.
template <class Body>
int run_program(const char* name, int argc, char** argv, Body body) {
  try {
    return body(argc, argv);
  } catch (const CLI::ParseError& error) {
    std::fprintf(stderr, "%s: %s (see %s --help)\n", name, error.what(), name);
    return 2;
  } catch (const std::invalid_argument& error) {
    std::fprintf(stderr, "%s: %s\n", name, error.what());
    return 2;
  } catch (const std::bad_alloc&) {
    std::fprintf(stderr, "%s: not enough memory\n", name);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", name, error.what());
  }
  return 1;
}

} // namespace apps
