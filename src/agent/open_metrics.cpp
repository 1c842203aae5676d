#include "agent/open_metrics.hpp"

#include "base/blocked_signals.hpp"
#include "base/clock.hpp"

#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

namespace treadle::agent {

metrics_socket::metrics_socket(const std::string& file) : m_file(file) {
  const auto fail = [&] { throw std::system_error(errno, std::generic_category(), file); };
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (file.size() >= sizeof address.sun_path) throw std::system_error(ENAMETOOLONG, std::generic_category(), file);
  std::memcpy(address.sun_path, file.c_str(), file.size());
  unlink(file.c_str()); // of an agent that was killed: this one has the lock
  m_listening = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (m_listening < 0) fail();
  if (bind(m_listening, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
      chmod(file.c_str(), 0600) != 0 || listen(m_listening, 8) != 0) {
    close(m_listening);
    fail();
  }
  m_identity = file_identity(file);
  const detail::blocked_signals guard;
  m_thread = std::thread([this] { serve(); });
}

metrics_socket::~metrics_socket() {
  m_ends = true;
  shutdown(m_listening, SHUT_RDWR); // wakes accept()
  m_thread.join();
  close(m_listening);
  if (file_identity(m_file) == m_identity) unlink(m_file.c_str());
}

void metrics_socket::publish(std::string text) {
  const std::lock_guard guard(m_mutex);
  m_text = std::move(text);
}

void metrics_socket::serve() noexcept {
  while (!m_ends) {
    const int connection = accept4(m_listening, nullptr, nullptr, SOCK_CLOEXEC);
    if (connection < 0) {
      if (!m_ends && errno != EINTR && errno != ECONNABORTED) poll(nullptr, 0, 100); // no descriptors, for a while
      continue;
    }
    answer(connection);
    close(connection);
  }
}

/// A second for all of it.
void metrics_socket::answer(int connection) noexcept {
  const std::int64_t end_ns = detail::steady_now_ns() + 1'000'000'000;
  const auto wait_for = [&](short what) { // in steps, so that the end of the agent is not kept waiting
    pollfd one{connection, what, 0};
    while (!m_ends && detail::steady_now_ns() < end_ns)
      if (poll(&one, 1, 50) > 0) return true;
    return false;
  };
  try {
    std::string request;
    char part[1024];
    while (request.find("\r\n\r\n") == std::string::npos && request.size() < 16 * 1024) {
      if (!wait_for(POLLIN)) return;
      const ssize_t got = recv(connection, part, sizeof part, MSG_DONTWAIT);
      if (got <= 0) return;
      request.append(part, static_cast<std::size_t>(got));
    }
    std::string body = "only GET /metrics\n", status = "404 Not Found", type = "text/plain";
    if (request.starts_with("GET /metrics ") || request.starts_with("GET / ")) {
      const std::lock_guard guard(m_mutex);
      body = m_text;
      status = "200 OK";
      type = "application/openmetrics-text; version=1.0.0; charset=utf-8";
    }
    const std::string all = "HTTP/1.0 " + status + "\r\nContent-Type: " + type +
                            "\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
    for (std::size_t sent = 0; sent < all.size();) {
      if (!wait_for(POLLOUT)) return;
      const ssize_t n = send(connection, all.data() + sent, all.size() - sent, MSG_NOSIGNAL | MSG_DONTWAIT);
      if (n <= 0) return;
      sent += static_cast<std::size_t>(n);
    }
  } catch (...) { // no memory: no answer
  }
}

std::string label(const std::string& value) {
  std::string escaped = "\"";
  for (const char c : value) {
    if (c == '\n')
      escaped += "\\n";
    else if (c == '"' || c == '\\')
      escaped += {'\\', c};
    else
      escaped += c;
  }
  return escaped + "\"";
}

} // namespace treadle::agent
