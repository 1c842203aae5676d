#include "agent/transport.hpp"

#include "agent_link/key_file.hpp"
#include "agent_link/messages.hpp"

#include <cerrno>
#include <stdexcept>
#include <system_error>

#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

namespace treadle::agent {
namespace {

constexpr int k_parts_max = 8;

/// The process behind a connection of a Unix socket, as the kernel knows it. None when it belongs to another user, or
/// the connection is gone.
std::optional<int> peer_of(const zmq::message_t& m) {
  const int descriptor = zmq_msg_get(const_cast<zmq_msg_t*>(m.handle()), ZMQ_SRCFD);
  ucred who{};
  socklen_t size = sizeof who;
  if (descriptor < 0 || getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &who, &size) != 0) return std::nullopt;
  if (who.uid != geteuid()) return std::nullopt;
  return who.pid;
}

void prepare(zmq::socket_t& socket) {
  socket.set(zmq::sockopt::linger, 100);
  socket.set(zmq::sockopt::maxmsgsize, static_cast<std::int64_t>(detail::k_message_bytes_max));
  socket.set(zmq::sockopt::sndhwm, 100); // who does not read loses messages, not the others
  socket.set(zmq::sockopt::rcvhwm, 100);
}

/// ZeroMQ says only what, not where.
void bind(zmq::socket_t& socket, const std::string& address) {
  try {
    socket.bind(address);
  } catch (const zmq::error_t& e) {
    throw std::runtime_error(address + ": " + e.what());
  }
}

} // namespace

server_keys read_server_keys(const std::string& file) {
  server_keys keys;
  for (const auto& [name, key] : detail::read_key_file(file)) {
    if (name == "public")
      keys.own_public = key;
    else if (name == "secret")
      keys.own_secret = key;
    else if (name == "client")
      keys.clients.insert(key);
    else
      throw std::invalid_argument(file + ": '" + name + "' is no key; there are public, secret, client");
  }
  if (keys.own_public.empty() || keys.own_secret.empty())
    throw std::invalid_argument(file + ": expected lines 'public KEY' and 'secret KEY'");
  return keys;
}

std::string new_keys() {
  char own_public[41], own_secret[41];
  if (zmq_curve_keypair(own_public, own_secret) != 0) throw zmq::error_t();
  return std::string("public ") + own_public + "\nsecret " + own_secret + "\n";
}

transport::transport(const std::string& file) : m_near(m_context, zmq::socket_type::router) {
  prepare(m_near);
  bind(m_near, "ipc://" + file);
  if (chmod(file.c_str(), 0600) != 0) throw std::system_error(errno, std::generic_category(), file);
}

void transport::listen(const std::string& address, server_keys keys) {
  m_keys = std::move(keys);
  m_doorman.emplace(m_context, zmq::socket_type::rep);
  m_doorman->set(zmq::sockopt::linger, 0);
  m_doorman->bind("inproc://zeromq.zap.01");
  m_far.emplace(m_context, zmq::socket_type::router);
  prepare(*m_far);
  m_far->set(zmq::sockopt::zap_domain, "treadle");
  m_far->set(zmq::sockopt::curve_server, true);
  m_far->set(zmq::sockopt::curve_publickey, m_keys.own_public);
  m_far->set(zmq::sockopt::curve_secretkey, m_keys.own_secret);
  const std::string port = address.substr(address.rfind(':') + 1);
  if (!address.starts_with("tcp://") || port.empty() || port.find_first_not_of("0123456789") != std::string::npos)
    throw std::invalid_argument("--listen: expected tcp://ADDRESS:PORT, got '" + address + "'");
  bind(*m_far, address);
}

void transport::add_to(std::vector<zmq::pollitem_t>& items) {
  items.push_back({m_near.handle(), 0, ZMQ_POLLIN, 0});
  if (m_far) items.push_back({m_far->handle(), 0, ZMQ_POLLIN, 0});
  if (m_doorman) items.push_back({m_doorman->handle(), 0, ZMQ_POLLIN, 0});
}

/// A request of ZAP 1.0 (RFC 27 of ZeroMQ): version, request, domain, address, identity, mechanism, credentials.
void transport::authenticate() {
  for (;;) {
    std::vector<zmq::message_t> parts;
    for (bool more = true; more;) {
      zmq::message_t part;
      if (!m_doorman->recv(part, zmq::recv_flags::dontwait)) return;
      more = part.more();
      parts.push_back(std::move(part));
    }
    char key[41] = "";
    const bool is_known = parts.size() == 7 && parts[5].to_string_view() == "CURVE" && parts[6].size() == 32 &&
                          zmq_z85_encode(key, parts[6].data<std::uint8_t>(), 32) && m_keys.clients.count(key) != 0;
    if (!is_known) ++m_refused;
    const std::string answer[] = {
        "1.0", parts.size() > 1 ? parts[1].to_string() : "", is_known ? "200" : "400", is_known ? "OK" : "no", "", ""};
    for (int i = 0; i < 6; ++i)
      m_doorman->send(zmq::buffer(answer[i]), i < 5 ? zmq::send_flags::sndmore : zmq::send_flags::none);
  }
}

std::optional<transport::received> transport::receive() {
  if (m_doorman) authenticate();
  if (auto m = receive_from(m_near, 'n')) return m;
  return m_far ? receive_from(*m_far, 'f') : std::nullopt;
}

std::optional<transport::received> transport::receive_from(zmq::socket_t& from, char way) {
  for (;;) {
    std::vector<zmq::message_t> parts;
    for (bool more = true; more;) {
      zmq::message_t part;
      if (!from.recv(part, zmq::recv_flags::dontwait)) return std::nullopt;
      more = part.more();
      if (parts.size() < k_parts_max) parts.push_back(std::move(part));
    }
    const std::optional<int> peer = way == 'n' ? peer_of(parts.back()) : 0;
    if (parts.size() == 2 && peer) return received{way + parts[0].to_string(), *peer, parts[1].to_string()};
    ++m_refused;
  }
}

void transport::send(const std::string& route, const std::string& text) noexcept {
  try {
    zmq::socket_t& by = route[0] == 'f' && m_far ? *m_far : m_near;
    if (by.send(zmq::buffer(std::string_view(route).substr(1)), zmq::send_flags::sndmore | zmq::send_flags::dontwait))
      static_cast<void>(by.send(zmq::buffer(text), zmq::send_flags::dontwait));
  } catch (const zmq::error_t&) { // it has gone
  }
}

} // namespace treadle::agent
