#pragma once

#include "fiber/fiber.hpp"

#include <bitset>
#include <cstdint>
#include <functional>
#include <memory>
#include <queue>
#include <source_location>
#include <string>
#include <unordered_map>
#include <vector>

/// Cores of a machine that we do not have, in simulated time: each runs a function on a fiber, and every atomic
/// operation of the product's code takes as long as its cache line takes to come. docs/design/contention.md
namespace treadle::contention {

inline constexpr int k_cores_max = 512;

/// All in ns.
struct machine_costs {
  double hit = 1;        ///< a line that the core has as it needs it
  double exchange = 6;   ///< a read-modify-write of such a line
  double near = 60;      ///< a line of another core of the same domain
  double far = 130;      ///< of another domain
  double line_busy = 12; ///< until the next core can have a line that is only read
  int cores_of_domain = 64;
  double heavy_fence = 1500; ///< membarrier(2)
  double sleep = 1000;       ///< to enter the kernel and sleep
  double wake = 2000;        ///< to wake somebody
  double woken = 8000;       ///< until that one goes on
};

/// What cores waited for one cache line.
struct line_wait {
  std::string name;
  double ns;
};

class simulated_cores {
 public:
  explicit simulated_cores(const machine_costs& costs);
  ~simulated_cores();

  void add(std::function<void()> program);
  /// Runs all programs to their ends; the time when the last one ended. Throws std::logic_error when all sleep.
  double run();

  /// Lines of this memory go by that name.
  void name(const void* begin, std::size_t bytes, const std::string& as);
  /// The lines that cost most, by name.
  std::vector<line_wait> waits() const;

  // For a program:
  static simulated_cores* current() noexcept;
  int core() const noexcept { return m_core; }
  double now() const noexcept;
  void spend(double ns); ///< computes
  void read(const void* word);
  void write(const void* word);  ///< the core goes on while the line comes
  void change(const void* word); ///< read-modify-write
  void fence() { spend(m_costs.heavy_fence); }
  /// As futex(2).
  void sleep(const void* word, std::int64_t timeout_ns);
  void wake(const void* word, int count);

 private:
  struct cache_line {
    int owner = -1; // it alone has it
    std::bitset<k_cores_max> readers;
    double free_at = 0;
  };
  struct core_state {
    std::function<void()> program;
    std::unique_ptr<detail::fiber> stack;
    double time = 0;
    const void* sleeps_on = nullptr;
    std::uint64_t version = 0; // of its latest event
    bool ended = false;
  };
  struct event {
    double time;
    std::uint64_t order, version;
    int core;
    bool operator>(const event& o) const noexcept { return time != o.time ? time > o.time : order > o.order; }
  };
  struct named {
    std::uintptr_t begin, end;
    std::string name;
  };

  static void core_main(detail::fiber& self, detail::fiber& from);
  core_state& here() { return m_cores[static_cast<std::size_t>(m_core)]; }
  void schedule(int core, double time);
  void give_way(); ///< until nobody is earlier
  double distance(int from) const noexcept;
  void waited(std::uintptr_t line, double ns);

  const machine_costs m_costs;
  std::vector<core_state> m_cores;
  std::unordered_map<std::uintptr_t, cache_line> m_lines;
  std::unordered_map<std::uintptr_t, double> m_waits;
  std::vector<named> m_names;
  std::priority_queue<event, std::vector<event>, std::greater<>> m_events;
  std::uint64_t m_order = 0;
  detail::fiber m_home;
  int m_core = -1;
};

} // namespace treadle::contention
