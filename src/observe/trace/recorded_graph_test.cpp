#include "observe/trace/recorded_graph.hpp"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <system_error>

namespace {

using namespace treadle::detail;

recorded_graph sample() {
  recorded_graph graph;
  graph.span_ns = 50;
  const int work = graph.site("work on [with a space]"), wait = graph.site("join");
  graph.nodes = {
      {.how = recorded_graph::sort::task, .site = work, .end_ns = 30, .own_ns = 20, .worker = 1, .bytes = 64},
      {.site = work,
       .parent = 0,
       .nth = 0,
       .at_ns = 5,
       .created_ns = 5,
       .ready_ns = 5,
       .start_ns = 6,
       .end_ns = 9,
       .own_ns = 3,
       .home = 2},
      {.how = recorded_graph::sort::join, .site = wait, .parent = 0, .nth = 1, .at_ns = 6}};
  graph.inputs = {{2, 1}};
  graph.waits = {{0, 2, 2, 6}};
  return graph;
}

TEST(recorded_graph, is_read_back) {
  const std::string text = write_graph(sample());
  const recorded_graph back = parse_graph(text, "x");
  EXPECT_EQ(write_graph(back), text);
  EXPECT_EQ(back.sites[0], "work on [with a space]");
  EXPECT_EQ(back.nodes[1].home, 2);
  EXPECT_EQ(back.waits[0].nth, 2);
}

/// The message for a text.
std::string refused(const std::string& text) {
  try {
    parse_graph(text, "a.tasks");
  } catch (const std::invalid_argument& e) {
    return e.what();
  }
  return "accepted";
}
std::string replaced(const std::string& what, const std::string& by) {
  std::string text = write_graph(sample());
  text.replace(text.find(what), what.size(), by);
  return refused(text);
}

TEST(recorded_graph, says_what_is_wrong_and_where) {
  EXPECT_EQ(refused(""), "a.tasks:0: is no recording of tasks: expected 'treadle-tasks' at the beginning");
  EXPECT_EQ(refused("{}\n"), "a.tasks:1: is no recording of tasks: expected 'treadle-tasks' at the beginning");
  EXPECT_EQ(replaced("tasks 1", "tasks 2"), "a.tasks:1: has version '2', this program reads version 1");
  EXPECT_EQ(replaced("input 2 1", "input 2 7"), "a.tasks:7: there is no node 7");
  EXPECT_EQ(replaced("input 2 1", "input 2 2"), "a.tasks:7: node 2 depends on itself");
  EXPECT_EQ(replaced("30 20 1", "30 -20 1"), "a.tasks:4: own duration is -20, below 0");
  EXPECT_EQ(replaced("30 20 1", "30 x 1"), "a.tasks:4: expected a number (own duration), got 'x'");
  EXPECT_EQ(replaced("wait 0 2 2 6", "wait 0 2 2 21"), "a.tasks:8: it waits after its end");
  EXPECT_EQ(replaced("task 0 0", "task 0 9"), "a.tasks:5: there is no node 9");
  EXPECT_EQ(replaced("task 0 0 0 5", "task 0 0 0 25"), "a.tasks:5: its parent made it after its end");
  EXPECT_EQ(replaced("input", "output"), "a.tasks:7: expected site, node, input, wait or end, got 'output'");
  EXPECT_EQ(replaced("end 3 1 1", "end 4 1 1"), "a.tasks:9: is not whole: 4 nodes were written, 3 are there");
}

TEST(recorded_graph, cut_short_anywhere_is_refused) {
  const std::string text = write_graph(sample());
  for (std::size_t length = 0; length < text.size(); ++length)
    EXPECT_NE(refused(text.substr(0, length)), "accepted") << length;
  EXPECT_THROW(read_graph("/nowhere/a.tasks"), std::system_error);
}

} // namespace
