#pragma once

#include "sim/graph.hpp"
#include "sim/inlining_sites.hpp"
#include "sim/processors.hpp"
#include "sim/ready_queues.hpp"

#include <queue>
#include <tuple>

namespace treadle::sim {

/// Runs a graph on workers in simulated time: a queue of events by time, and what each worker does between two of them.
/// What happens at one moment happens before anybody looks for work at that moment.
///
/// A worker runs a stack of tasks, as the runtime does: a wait runs a task that nobody has started in place, or leaves
/// the whole stack until what it waits for has ended. A thread outside of the runtime is a worker that has one stack.
class simulator {
 public:
  /// `pools` are those of `how`, all with numbers of workers; `places` the units of their workers.
  simulator(const graph& program, const machine& on, const schedule& how, const std::vector<pool>& pools,
            const std::vector<std::vector<unsigned>>& places, const cost_table& costs);

  prediction run();

 private:
  enum class phase : unsigned char { unmade, staged, queued, started, ended };
  struct node_state {
    int missing = 0; // inputs, and its making
    phase now = phase::unmade;
    bool critical = false;
    bool inlined = false; // decided when it is made
    unsigned pool = 0;
    double made_ns = 0, ready_ns = 0;
    std::uint64_t stretch = 0; // of its maker, when it was made
    double begun_ns = 0;       // its evaluation: it was made, or an input of the same stretch begun
    int first_waiter = k_none; // stack
    ready_queues::place where; // while queued
    ready_queues::entry entry{};
  };
  struct frame {
    int node;
    std::size_t next_action = 0;
    std::int64_t done_ns = 0;  // of its own time
    bool paid = false;         // for the next action, or its end
    bool is_warm = false;      // what it needs was made by its worker
    bool blocked = false;      // its stack has been left meanwhile
    double working_ns = 0;     // of its own, and of what ran on top of it
    std::uint64_t stretch = 0; // of time, from where it began or waited to the next wait
  };
  struct follower {
    int node;
    std::size_t depth; ///< of the stack when it may begin
  };
  struct stack {
    std::vector<frame> frames;       // the innermost last
    std::vector<follower> followers; // inlined tasks whose inputs are there; the next one last
    int next_waiter = k_none;
    int thread = k_none; // the worker that is no worker, if it is the stack of one
  };
  struct worker_state {
    unsigned pool = 0;
    bool outside = false;
    int running = k_none; // stack
    double owed_ns = 0;   // for what the runtime does, before it goes on
    bool at_work = false; // on a piece
    bool is_own = false;  // of a task, not of the runtime
    double left_ns = 0, rate = 1, since_ns = 0;
    std::uint32_t version = 0; // of the event that ends the piece
    bool idle = true;
    double idle_since_ns = 0;
  };
  struct event {
    double time_ns;
    int rank; // of those at one moment
    std::uint64_t number;
    enum class sort : unsigned char { piece_ends, released, looks, goes_on } what;
    int who; // worker or node
    std::uint32_t version;
    bool operator>(const event& other) const noexcept {
      return std::tuple(time_ns, rank, number) > std::tuple(other.time_ns, other.rank, other.number);
    }
  };

  graph::node const& node(int n) const { return m_graph.nodes()[static_cast<std::size_t>(n)]; }
  node_state& state(int n) { return m_states[static_cast<std::size_t>(n)]; }
  worker_state& worker(int w) { return m_workers[static_cast<std::size_t>(w)]; }
  stack& stack_at(int s) { return m_stacks[static_cast<std::size_t>(s)]; }

  void begin();
  void add_event(double after_ns, event::sort what, int who, std::uint32_t version = 0);
  void see(const event& one);

  // A worker's time (worker_steps.cpp).
  void start_piece(int w, double ns, bool is_own, const processors::need& what);
  void end_piece(int w);
  void retime();
  void go_on(int w);
  bool pays_first(int w, frame& top);
  double price_of(const frame& top) const;
  bool act(int w, const graph::action& what);
  bool wait_for(int w, int n);
  void look_for_work(int w);
  void count_looks_while_idle(int w);
  void run_on_new_stack(int w, int n, bool is_warm);
  void push_frame(int w, int n, bool is_warm = true);
  double book_time(int w);
  processors::need need_of(const frame& running) const;
  void end_frame(int w);
  void leave_stack(int w, int waited);

  // What becomes of nodes (node_steps.cpp).
  bool decide_inline(int n);
  void is_made(int n, std::uint64_t stretch);
  void make(int n, int by, std::uint64_t stretch = 0);
  void input_is_there(int n, int by, std::vector<int>& joins);
  void enqueue(int n, int by);
  void start(int n);
  void complete(int n, int by);
  void wake_stack(int s, int by);
  void push(unsigned pool, int by, bool is_new, int what, ready_queues::place& where, ready_queues::entry& entry);
  void call_somebody(unsigned pool, const ready_queues::place& where, int by);
  ready_queues::entry rank(int what, int node);
  int new_stack();

  const graph& m_graph;
  const schedule& m_how;
  const cost_table& m_costs;
  const std::vector<pool>& m_pools;
  std::int64_t m_cache_bytes;
  processors m_processors;
  ready_queues m_queues;
  inlining_sites m_inlining;
  detail::xorshift m_random;
  std::vector<node_state> m_states;
  std::vector<worker_state> m_workers; // of the pools, then threads outside
  std::vector<stack> m_stacks;
  std::vector<int> m_free_stacks;
  std::vector<int> m_follows; // inlined, and their last input completes now
  std::uint64_t m_stretches = 0;
  std::vector<std::vector<int>> m_idle; // workers of each pool, who was busy last comes last
  std::priority_queue<event, std::vector<event>, std::greater<>> m_events;
  std::uint64_t m_event_number = 0;
  double m_sequence = 0; // of what is queued
  double m_now_ns = 0;
  std::size_t m_left = 0;        // nodes that have not ended
  std::size_t m_stacks_left = 0; // that wait for something
  prediction m_found;
};

} // namespace treadle::sim
