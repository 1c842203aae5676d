#include "base/metrics_socket.hpp"

#include "base/blocked_signals.hpp"
#include "base/clock.hpp"

#include <cerrno>
#include <cstring>
#include <exception>
#include <filesystem>
#include <system_error>
#include <utility>

#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

namespace treadle::detail {
namespace {

int unix_socket() noexcept { return socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0); }

sockaddr_un address_of(const std::string& file) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (file.size() >= sizeof address.sun_path) throw std::system_error(ENAMETOOLONG, std::generic_category(), file);
  std::memcpy(address.sun_path, file.c_str(), file.size());
  return address;
}

/// Why the name cannot be had; 0: a process has left it that was killed.
int error_of_existing(const std::string& file) {
  struct stat found{};
  if (lstat(file.c_str(), &found) != 0) return errno;
  if (!S_ISSOCK(found.st_mode)) return EEXIST;
  const posix_file probe(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  const sockaddr_un address = address_of(file);
  const bool is_deserted =
      connect(probe.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 && errno == ECONNREFUSED;
  return is_deserted ? 0 : EADDRINUSE;
}

} // namespace

metrics_socket::metrics_socket(const std::string& file, std::function<std::string()> text)
    : m_file(std::filesystem::absolute(file)), m_text(std::move(text)), m_listening(unix_socket) {
  try {
    if (!m_listening) throw std::system_error(errno, std::generic_category());
    listen_at(file);
    const blocked_signals guard;
    m_thread = std::thread([this] { serve(); });
  } catch (const std::system_error& e) {
    if (m_identity == file_identity(m_file)) unlink(m_file.c_str());
    throw std::system_error(e.code(), "metrics: " + file);
  }
}

/// It gets its name when it listens: one that does not yet looks deserted to others.
void metrics_socket::listen_at(const std::string& file) {
  const std::string unfinished = file + '.' + std::to_string(getpid());
  const sockaddr_un address = address_of(unfinished);
  unlink(unfinished.c_str());
  int error = 0;
  if (bind(m_listening.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
      chmod(unfinished.c_str(), 0600) != 0 || listen(m_listening.get(), 8) != 0) {
    error = errno;
  } else if (link(unfinished.c_str(), file.c_str()) != 0) {
    error = errno == EEXIST ? error_of_existing(file) : errno;
    if (error == 0 && rename(unfinished.c_str(), file.c_str()) != 0) error = errno;
  }
  unlink(unfinished.c_str());
  if (error != 0) throw std::system_error(error, std::generic_category());
  m_identity = file_identity(file);
}

metrics_socket::~metrics_socket() {
  m_ends = true;
  shutdown(m_listening.get(), SHUT_RDWR); // wakes accept()
  m_thread.join();
  if (file_identity(m_file) == m_identity) unlink(m_file.c_str());
}

void metrics_socket::serve() noexcept {
  while (!m_ends) {
    const posix_file connection(accept4(m_listening.get(), nullptr, nullptr, SOCK_CLOEXEC));
    if (connection) {
      answer(connection.get());
      shutdown(connection.get(), SHUT_RDWR); // also where a child of a fork has it
    } else if (!m_ends && errno != EINTR && errno != ECONNABORTED) {
      poll(nullptr, 0, 100); // no descriptors, for a while
    }
  }
}

/// A second for all of it.
void metrics_socket::answer(int connection) noexcept {
  const std::int64_t end_ns = steady_now_ns() + 1'000'000'000;
  const auto wait_for = [&](short what) { // in steps, so that who ends this is not kept waiting
    pollfd one{connection, what, 0};
    while (!m_ends && steady_now_ns() < end_ns)
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
    const std::string all = response_to(request);
    for (std::size_t sent = 0; sent < all.size();) {
      if (!wait_for(POLLOUT)) return;
      const ssize_t n = send(connection, all.data() + sent, all.size() - sent, MSG_NOSIGNAL | MSG_DONTWAIT);
      if (n <= 0) return;
      sent += static_cast<std::size_t>(n);
    }
  } catch (...) { // no memory: no answer
  }
}

std::string metrics_socket::response_to(const std::string& request) const {
  std::string body = "only GET /metrics\n", status = "404 Not Found", type = "text/plain";
  if (request.starts_with("GET /metrics ") || request.starts_with("GET / ")) {
    try {
      body = m_text();
      status = "200 OK";
      type = "application/openmetrics-text; version=1.0.0; charset=utf-8";
    } catch (const std::exception& e) {
      body = std::string(e.what()) + '\n';
      status = "503 Service Unavailable";
    }
  }
  return "HTTP/1.0 " + status + "\r\nContent-Type: " + type + "\r\nContent-Length: " + std::to_string(body.size()) +
         "\r\n\r\n" + body;
}

std::string metrics_label(std::string_view value) {
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

} // namespace treadle::detail
