#pragma once

#include "base/posix_file.hpp"
#include "base/uninherited_file.hpp"

#include <atomic>
#include <functional>
#include <string>
#include <string_view>
#include <thread>

namespace treadle::detail {

/// Serves metrics in the OpenMetrics format on a Unix socket, by a thread of its own, so that slow readers delay
/// nobody: `curl --unix-socket FILE http://any/metrics`. Only this user can connect.
class metrics_socket {
 public:
  /// `text`: called by that thread for each request; it may throw, which the reader is told. A socket that nobody
  /// listens to is replaced. Throws std::system_error that names the file; address_in_use: somebody listens there.
  metrics_socket(const std::string& file, std::function<std::string()> text);
  ~metrics_socket();
  metrics_socket(const metrics_socket&) = delete;
  metrics_socket& operator=(const metrics_socket&) = delete;

 private:
  void listen_at(const std::string& file);
  void serve() noexcept;
  void answer(int connection) noexcept;
  std::string response_to(const std::string& request) const;

  const std::string m_file; // absolute
  const std::function<std::string()> m_text;
  const uninherited_file m_listening;
  file_identity m_identity; // somebody else may have a file of this name by the end
  std::atomic<bool> m_ends{false};
  std::thread m_thread;
};

/// The value of a label, or without its quotes a help text, as OpenMetrics wants it.
std::string metrics_label(std::string_view value);

} // namespace treadle::detail
