#pragma once

#include <sys/wait.h>

#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

namespace apps {

/// A run of a program: its exit code, and both of its outputs.
struct finished {
  int code;
  std::string text;
};

/// By the shell; `arguments` are its text.
inline finished run(const std::string& program, const std::string& arguments) {
  FILE* const pipe = popen(("'" + program + "' " + arguments + " 2>&1").c_str(), "r");
  if (!pipe) return {-1, "no pipe"};
  std::string text;
  char part[256];
  while (std::fgets(part, sizeof part, pipe)) text += part;
  const int status = pclose(pipe);
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, text};
}

inline void expect_run(const std::string& program, const std::string& arguments, int code, const std::string& said) {
  const finished done = run(program, arguments);
  EXPECT_EQ(done.code, code) << arguments << '\n' << done.text;
  EXPECT_NE(done.text.find(said), std::string::npos) << arguments << '\n' << done.text;
}

/// What the lines of a page say that begin with build/release/apps/`name`, without that.
inline std::vector<std::string> examples(const std::string& page, const std::string& name) {
  const std::string before = "build/release/apps/" + name + " ";
  std::ifstream file(page);
  std::vector<std::string> found;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with(before)) found.push_back(line.substr(before.size()));
  }
  return found;
}

} // namespace apps
