// What the tests of this area share.
#pragma once

#include <treadle/arrays/physl.hpp>
#include <treadle/runtime.hpp>

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace treadle::tree {

inline physl::run_options with_policy(physl::policy p) {
  physl::run_options options;
  options.policy = p;
  return options;
}

inline constexpr physl::policy k_policies[] = {physl::policy::always_inline, physl::policy::always_async,
                                               physl::policy::paper_baseline, physl::policy::paper_adaptive,
                                               physl::policy::adaptive};

inline value run(std::string_view text, std::vector<value> args = {}, physl::policy p = physl::policy::always_inline) {
  return physl::program(text, "test.physl").run(args, with_policy(p));
}

// The text of a file of the project; a failure when there is none.
inline std::string text_of(const std::string& name) {
  std::ifstream file(std::filesystem::path(__FILE__).parent_path() / "../.." / name);
  std::stringstream text;
  text << file.rdbuf();
  EXPECT_TRUE(file) << name;
  return text.str();
}

// The value of one expression as PhySL text.
inline std::string shown(std::string_view text) {
  try {
    return repr(run(text));
  } catch (const physl::error& e) {
    return std::string("error ") + e.message();
  }
}

// The error that compiling and running gives; the test fails without one.
inline physl::error error_of(std::string_view text, physl::policy p = physl::policy::always_inline) {
  try {
    const auto v = run(text, {}, p);
    ADD_FAILURE() << text << " gave " << repr(v);
  } catch (const physl::error& e) {
    return e;
  }
  return physl::error({});
}

struct example {
  std::string text, expected;
};

inline void check(std::initializer_list<example> examples) {
  for (const auto& e : examples) EXPECT_EQ(shown(e.text), e.expected) << e.text;
}

// Ways to run that split whatever may be split.
inline std::vector<physl::run_options> splitting_options() {
  auto all = std::vector(3, with_policy(physl::policy::adaptive));
  all[0].worth_ns = 0; // what was measured is worth it
  all[1].policy = physl::policy::always_async;
  all[2].policy = physl::policy::paper_baseline;
  all[2].count_threshold = all[2].lower_ns = all[2].upper_ns = 0;
  return all;
}

// Workers to test with, more than cores on purpose.
inline constexpr unsigned k_worker_counts[] = {1, 2, 4};

struct workers {
  explicit workers(unsigned count) : rt(options(count)) {}
  static runtime_options options(unsigned count) {
    runtime_options o;
    o.workers = count;
    return o;
  }
  runtime rt;
};

} // namespace treadle::tree
