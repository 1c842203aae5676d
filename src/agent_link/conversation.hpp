#pragma once

#include "agent_link/messages.hpp"
#include "observe/programs/page.hpp"

#include <treadle/observe/agent.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace treadle::detail {

/// 32 random hexadecimal digits.
std::string new_program_number();

/// A program's part of the protocol, without clock, socket or threads. docs/design/agent.md
class conversation {
 public:
  /// What is to be done now.
  struct actions {
    std::vector<any_message> send;
    std::optional<unsigned> govern; ///< this many workers, or k_not_governed
    std::vector<unsigned> cpus;     ///< with it, for a command
  };

  /// `program`: new_program_number().
  conversation(std::string program, int pid, std::string name, std::int64_t now_ns, bool is_command = false);

  /// Says hello next, with that wish.
  void introduce(const core_wish& wish);
  actions receive(const any_message& m, std::int64_t now_ns, const program_state& state);
  /// Some time has passed, or the state has changed.
  actions look(std::int64_t now_ns, const program_state& state);
  /// When it has to look at the latest.
  std::int64_t next_look_ns() const noexcept;

  const agent_status& status() const noexcept { return m_status; }
  /// Until an agent grants something.
  void note_trouble(std::string what) { m_status.trouble = std::move(what); }
  bool said_idle() const noexcept { return m_said_idle; }
  /// Without an agent since then; k_never_ns while there is one.
  std::int64_t alone_since_ns() const noexcept { return m_alone_since_ns; }

 private:
  struct pending_effect {
    std::int64_t since_ns, next_look_ns;
  };

  void say_hello(std::int64_t now_ns, const program_state& state, actions& to);
  void follow(const message::grant& g, std::int64_t now_ns, const program_state& state, actions& to);
  void tell_effect(std::int64_t now_ns, const program_state& state, actions& to);
  void tell_need(std::int64_t now_ns, const program_state& state, actions& to);

  const std::string m_program, m_name;
  const int m_pid;
  const bool m_is_command;
  core_wish m_wish;
  agent_status m_status;
  unsigned m_said_workers = 0;
  std::int64_t m_said_ns = 0, m_hello_due_ns = 0, m_lease_end_ns = 0, m_alone_since_ns;
  std::optional<pending_effect> m_effect;
  std::optional<std::int64_t> m_pause_end_ns; // none of its tasks could run at the last look; when to look again
  std::int64_t m_patience_ns = 0;
  bool m_said_idle = false;
};

} // namespace treadle::detail
