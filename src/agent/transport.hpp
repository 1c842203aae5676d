// How messages come to an agent: a socket in its folder, and one for other ways to it where that is wanted.
#pragma once

#include <zmq.hpp>

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace treadle::agent {

struct server_keys {
  std::string own_public, own_secret;
  std::set<std::string> clients; ///< public keys of those that may come
};
/// Throws std::invalid_argument, and std::system_error when the file cannot be read or is open to others.
server_keys read_server_keys(const std::string& file);

/// A new pair for one side: the lines "public KEY" and "secret KEY" of its file. Throws zmq::error_t.
std::string new_keys();

class transport {
 public:
  struct received {
    std::string route;
    int peer = 0; ///< the process at the other end; 0: not known
    std::string text;
  };

  /// Listens on a Unix socket. Throws zmq::error_t, std::system_error.
  explicit transport(const std::string& file);
  /// And on tcp://, encrypted by CURVE: nobody gets in without one of the keys.
  void listen(const std::string& address, server_keys keys);

  /// What to poll.
  void add_to(std::vector<zmq::pollitem_t>& items);
  /// The next message from a process of this user; others, and what is no message, are dropped.
  std::optional<received> receive();
  void send(const std::string& route, const std::string& text) noexcept;

  std::uint64_t refused() const noexcept { return m_refused; } ///< connections, and messages, that were dropped

 private:
  std::optional<received> receive_from(zmq::socket_t& from, char way);
  void authenticate();

  zmq::context_t m_context{1};
  zmq::socket_t m_near;
  std::optional<zmq::socket_t> m_far, m_doorman; // the second answers who may come in (ZAP)
  server_keys m_keys;
  std::uint64_t m_refused = 0;
};

} // namespace treadle::agent
