#pragma once

#include "agent/settings.hpp"

#include <nlohmann/json_fwd.hpp>

#include <memory>
#include <string>

namespace treadle::agent {

struct server_options {
  std::string folder;      ///< of its socket, lock, log and settings; made if need be, for this user alone
  std::string listen = {}; ///< "tcp://ADDRESS:PORT" besides; needs `keys`
  std::string keys = {};   ///< file with lines "public KEY", "secret KEY" and "client KEY" for each that may come
};

/// The agent: receives messages, watches processes, shares out cores by period and when something happens.
class server {
 public:
  /// Has the folder and its sockets from now on. Throws std::system_error and std::runtime_error where it cannot,
  /// std::invalid_argument for bad settings and keys.
  explicit server(const server_options& options);
  ~server();
  server(const server&) = delete;
  server& operator=(const server&) = delete;

  /// Changes how cores are shared out; see change(settings&, …).
  void change_settings(const nlohmann::json& object);
  /// Until it is told to stop, by `treadle agent stop`, SIGINT or SIGTERM. Programs are free then.
  void run();

 private:
  class parts;
  const std::unique_ptr<parts> m_parts;
};

} // namespace treadle::agent
