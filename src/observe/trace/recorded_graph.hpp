#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace treadle::detail {

/// What a program did as tasks that depend on each other: recorded by a trace, or made by a generator. The input of the
/// simulator; docs/design/simulation.md has the file format. Times in ns.
struct recorded_graph {
  static constexpr int k_none = -1;

  enum class sort : unsigned char {
    task,  ///< was queued, or made with inputs missing
    fork,  ///< half of a fork, or part of a loop, that could be given away
    call,  ///< ran where it was made, in the middle of who made it
    join,  ///< runs nothing; ready when its inputs are
    thread ///< not a worker's: made tasks and waited for them
  };
  struct node {
    sort how = sort::task;
    int site = 0;           ///< in `sites`
    int parent = k_none;    ///< who made it
    int nth = 0;            ///< among what the parent did: made others and waited, one count for both
    std::int64_t at_ns = 0; ///< of the parent's own time, when it did
    std::int64_t created_ns = 0, ready_ns = 0, start_ns = 0, end_ns = 0; ///< since the recording began
    std::int64_t own_ns = 0; ///< without suspensions, and without tasks that ran inside of it
    int worker = k_none;     ///< where it started
    std::int64_t bytes = 0;  ///< that it moves; 0: not known
    int home = k_none;       ///< the domain of most of them; not known: where it runs
  };
  struct edge {
    int node, input;
  };
  struct wait {
    int node, waited;
    int nth;
    std::int64_t at_ns; ///< of the own time of `node`
  };

  std::vector<std::string> sites;
  std::vector<node> nodes; ///< a number is a position here
  std::vector<edge> inputs;
  std::vector<wait> waits;
  std::uint64_t dropped = 0; ///< records that had no room: then edges may be missing
  std::uint64_t unknown = 0; ///< inputs and waits for what is no task, such as promises: not in the graph
  std::int64_t span_ns = 0;  ///< from the first creation to the last end

  /// That of the site with this name, which is added when it is new.
  int site(std::string_view name);
};

std::string write_graph(const recorded_graph& graph);
/// `name` is that of the file, for messages. Throws std::invalid_argument with name and line.
recorded_graph parse_graph(std::string_view text, const std::string& name);
/// Throws std::system_error when the file cannot be read, else as above.
recorded_graph read_graph(const std::string& file);

} // namespace treadle::detail
