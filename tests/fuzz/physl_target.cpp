#include "physl_target.hpp"

#include <treadle/arrays/physl.hpp>

#include "physl/ast.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

namespace treadle::fuzz {
namespace {

void require(bool condition, const char* what) {
  if (condition) return;
  std::fprintf(stderr, "requirement failed: %s\n", what);
  std::abort();
}

} // namespace

void try_physl(std::string_view text) {
  try {
    const auto tree = physl::parse(text);
    const auto printed = physl::print(tree);
    const auto again = physl::parse(printed);
    require(again == tree, "what is printed reads back as the same tree");
    require(physl::print(again) == printed, "printing is stable");
  } catch (const physl::failure& f) {
    const auto lines = std::count(text.begin(), text.end(), '\n') + 1;
    require(!f.message.empty(), "a syntax error has a message");
    require(f.where.line >= 1 && f.where.line <= lines && f.where.column >= 1,
            "a syntax error has a place in the text");
    return;
  }
  try {
    const physl::program program(text, "fuzz");
    require(program.profile().size() < 1'000'000, "a program has a sensible number of nodes");
    require(!program.newick().empty() || program.profile().empty(), "a program that is not empty has a tree");
  } catch (const physl::error& e) {
    require(!e.message().empty(), "a compile error has a message");
  }
}

} // namespace treadle::fuzz
