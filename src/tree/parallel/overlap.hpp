// Runs independent parts of an evaluation, in several tasks where somebody has nothing to do.
#pragma once

#include "tree/run/evaluate.hpp"

#include <treadle/async.hpp>
#include <treadle/detail/loop.hpp>

#include <exception>

namespace treadle::tree {

// f(context&) on a worker: here when this is one, else there while this thread waits.
template <class F>
void on_worker(context& c, F&& f) {
  c.run.note_split();
  if (this_task::worker_index() >= 0) return f(c);
  async(launch::async, [&] {
    context there(c);
    f(there);
    there.return_to(c);
  }).get();
}

// Runs the iterations of a loop of the evaluation; make_state gives each part but the first a context of its own. Their
// time is not that of the node around.
inline void run_overlapping(const detail::loop_body& body, void* shared, void* state, std::uint64_t n, context& c,
                            detail::loop_site& site) {
  const auto start = c.now, children = c.children;
  using kind = detail::loop_cut::kind;
  // Where instances are spawned whatever that costs, parts are made at once; else when somebody is hungry.
  detail::run_loop(body, shared, state, n, {.how = c.run.spawns() ? kind::spread : kind::on_demand}, site);
  c.now = detail::ticks_now();
  c.children = children + (c.now - start);
}

// Calls body(context&, i) for all i in [0, n), possibly at the same time; it evaluates the instance node_of(i).
// Rethrows the exception of the lowest i that failed; all before that have been called, others perhaps.
template <class Body, class NodeOf>
void overlap(context& c, std::uint64_t n, const Body& body, const NodeOf& node_of) {
  struct shared {
    context& first;
    run_state& run;
    std::uint32_t depth;
    const Body& body;
    const NodeOf& node_of;
  };
  static constexpr detail::loop_body table{
      [](void* all, void* part, std::uint64_t begin, std::uint64_t end) {
        const auto& s = *static_cast<shared*>(all);
        auto& here = *static_cast<context*>(part);
        for (; begin != end; ++begin) {
          s.body(here, begin);
          if (&here != &s.first && here.local) ++here.local[s.node_of(begin)].spawned;
        }
        return true;
      },
      [](void* s) -> void* { return new context(static_cast<shared*>(s)->run, static_cast<shared*>(s)->depth); },
      [](void*, void*, void*) {}, [](void* part) noexcept { delete static_cast<context*>(part); }};
  on_worker(c, [&](context& here) {
    shared s{here, here.run, here.depth, body, node_of};
    detail::loop_site site;
    run_overlapping(table, &s, &here, n, here, site);
  });
}

// How one of several parts ended, of which the first in the order of the text tells what all of them give.
struct outcome {
  value result;
  std::exception_ptr error;
  bool done = false;

  // result = f()
  template <class F>
  void take(F&& f) {
    try {
      result = f();
      done = true;
    } catch (...) {
      error = std::current_exception();
      throw;
    }
  }
};

// When a loop that was not worth it yet asks again: before its first turn, after it, which may have been the first that
// was measured, and at last whenever the number of turns has doubled.
constexpr bool asks_at(std::uint64_t turn) noexcept { return (turn & (turn - 1)) == 0 && (turn < 2 || turn > 8); }

} // namespace treadle::tree
