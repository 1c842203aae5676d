// The programs that an agent knows, and its part of the protocol. Without clock, sockets or processes: these are told.
// docs/design/agent.md
#pragma once

#include "agent/sharing.hpp"
#include "agent_link/messages.hpp"
#include "decide/cpu_sets.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace treadle::agent {

/// What somebody has asked for in place of the program: `treadle agent set`.
struct override_wish {
  std::optional<unsigned> least, most;
  std::optional<double> weight, target;
  std::optional<std::string> group, role;
  std::optional<bool> is_preferred, is_paused;
};

struct member {
  std::string program, name;
  std::string route; ///< of its connection
  int pid = 0;       ///< 0: not known to be that of the connection
  unsigned workers = 1;
  core_wish wish; ///< the program's own
  bool is_command = false;
  std::vector<unsigned> cpus; ///< of a command
  override_wish instead;
  std::int64_t answered_ns = 0;
  bool is_idle = false;
  bool is_silent = false; ///< its lease is over: it does not answer, and others have its cores
  std::uint64_t epoch = 0, acknowledged = 0;
  unsigned granted = 0;
  std::string reason;
  std::int64_t granted_ns = 0;            ///< when the epoch began
  std::optional<double> took_effect_us;   ///< after the program had it, until it was so
  std::int64_t acknowledged_after_ns = 0; ///< of that epoch
};

class roster {
 public:
  /// Takes no more than this many programs.
  explicit roster(std::size_t most = 4096) noexcept : m_most(most) {}

  struct outgoing {
    std::string route;
    detail::any_message what;
  };
  struct result {
    std::vector<outgoing> send;
    bool must_decide = false; ///< something is different, so that the cores should be shared out now
    std::string cause;
  };

  /// A message of a program. `peer`: the process at the other end, 0 where that cannot be known.
  result receive(const std::string& route, int peer, const detail::any_message& m, std::int64_t now_ns);
  /// A process has ended.
  result ended(int pid);
  /// Marks those that have not answered for a lease.
  result look(std::int64_t now_ns, std::int64_t lease_ns);
  /// What programs are granted from now on, in the order of all(); and the lease of all is renewed.
  /// Commands get hardware threads among `cpus`.
  std::vector<outgoing> grant(const std::vector<share>& shares, std::int64_t now_ns, unsigned lease_ms,
                              const decide::cpus_and_distances& cpus = {});

  /// In the order in which they came.
  const std::vector<member>& all() const noexcept { return m_members; }
  /// By number, pid or name (all of that name). Throws std::invalid_argument when there is none.
  std::vector<member*> find(const std::string& which);
  /// Changes what is asked for in place of those. Throws as find() and change().
  void set(const std::string& which, const nlohmann::json& changes);
  /// What programs ask for, with what others ask in place of them.
  program_view view_of(const member& m) const;

  /// Forgets what was set for programs that are not here.
  void forget_absent();
  /// What was set for programs, also for some that are away for the moment, and the last epoch.
  nlohmann::json state() const;
  void restore(const nlohmann::json& state);

 private:
  member* by_route(const std::string& route) noexcept;
  result welcome(const std::string& route, int peer, const detail::message::hello& h, std::int64_t now_ns);

  const std::size_t m_most;
  std::vector<member> m_members;
  std::map<std::string, override_wish> m_instead; // by number of the program
  std::uint64_t m_epoch = 0;
};

nlohmann::json to_json(const override_wish& w);
/// Throws std::invalid_argument that names the field.
void change(override_wish& w, const nlohmann::json& object);

} // namespace treadle::agent
