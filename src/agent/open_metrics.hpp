#pragma once

#include "agent/posix_file.hpp"

#include <atomic>
#include <mutex>
#include <string>
#include <thread>

namespace treadle::agent {

/// Serves a text to whoever asks on a Unix socket, by a thread of its own, so that slow readers delay nobody:
/// `curl --unix-socket FILE http://agent/metrics`.
class metrics_socket {
 public:
  /// Throws std::system_error that names the file.
  explicit metrics_socket(const std::string& file);
  ~metrics_socket();
  metrics_socket(const metrics_socket&) = delete;
  metrics_socket& operator=(const metrics_socket&) = delete;

  void publish(std::string text);

 private:
  void serve() noexcept;
  void answer(int connection) noexcept;

  const std::string m_file;
  int m_listening = -1;
  file_identity m_identity; // another agent may have its own there by the end
  std::atomic<bool> m_ends{false};
  std::mutex m_mutex; // of the text
  std::string m_text;
  std::thread m_thread;
};

/// Text of a label's value, escaped as OpenMetrics wants it.
std::string label(const std::string& value);

} // namespace treadle::agent
