#include "agent_link/zeromq.hpp"

#include <zmq.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <stdexcept>
#include <type_traits>
#include <utility>

#include <dlfcn.h>

namespace treadle::detail {
namespace {

/// The functions of libzmq.so.5, with the types of its header.
struct library {
  decltype(&zmq_ctx_new) ctx_new;
  decltype(&zmq_ctx_term) ctx_term;
  decltype(&zmq_socket) socket;
  decltype(&zmq_close) close;
  decltype(&zmq_setsockopt) setsockopt;
  decltype(&zmq_getsockopt) getsockopt;
  decltype(&zmq_connect) connect;
  decltype(&zmq_send) send;
  decltype(&zmq_msg_init) msg_init;
  decltype(&zmq_msg_recv) msg_recv;
  decltype(&zmq_msg_data) msg_data;
  decltype(&zmq_msg_size) msg_size;
  decltype(&zmq_msg_close) msg_close;
  decltype(&zmq_poll) poll;
  decltype(&zmq_strerror) strerror;

  library() {
    void* const file = dlopen("libzmq.so.5", RTLD_NOW | RTLD_LOCAL);
    if (!file) throw std::runtime_error(std::string("an agent needs ZeroMQ: ") + dlerror());
    const auto find = [&](auto& function, const char* name) {
      function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(file, name));
      if (!function) throw std::runtime_error(std::string("libzmq.so.5 has no ") + name);
    };
    find(ctx_new, "zmq_ctx_new");
    find(ctx_term, "zmq_ctx_term");
    find(socket, "zmq_socket");
    find(close, "zmq_close");
    find(setsockopt, "zmq_setsockopt");
    find(getsockopt, "zmq_getsockopt");
    find(connect, "zmq_connect");
    find(send, "zmq_send");
    find(msg_init, "zmq_msg_init");
    find(msg_recv, "zmq_msg_recv");
    find(msg_data, "zmq_msg_data");
    find(msg_size, "zmq_msg_size");
    find(msg_close, "zmq_msg_close");
    find(poll, "zmq_poll");
    find(strerror, "zmq_strerror");
  }
};

const library& zeromq() {
  static const library loaded; // stays: its threads may run until the end
  return loaded;
}

} // namespace

zeromq_dealer::zeromq_dealer(const std::string& address, const std::optional<curve_keys>& keys) {
  const library& z = zeromq();
  m_context = z.ctx_new();
  m_socket = m_context ? z.socket(m_context, ZMQ_DEALER) : nullptr;
  const auto require = [&](bool is_done) {
    if (is_done) return;
    const std::string why = z.strerror(errno);
    if (m_socket) z.close(m_socket);
    if (m_context) z.ctx_term(m_context);
    throw std::runtime_error("agent at " + address + ": " + why);
  };
  require(m_socket != nullptr);
  const auto set = [&](int option, int value) { require(z.setsockopt(m_socket, option, &value, sizeof value) == 0); };
  set(ZMQ_LINGER, 100);
  set(ZMQ_SNDHWM, 100);
  set(ZMQ_RCVHWM, 100);
  set(ZMQ_RECONNECT_IVL, 20);
  set(ZMQ_RECONNECT_IVL_MAX, 500);
  if (keys) {
    const auto set_text = [&](int option, const std::string& text) {
      require(z.setsockopt(m_socket, option, text.c_str(), text.size() + 1) == 0);
    };
    set_text(ZMQ_CURVE_SERVERKEY, keys->server_public);
    set_text(ZMQ_CURVE_PUBLICKEY, keys->own_public);
    set_text(ZMQ_CURVE_SECRETKEY, keys->own_secret);
  }
  require(z.connect(m_socket, address.c_str()) == 0);
}

zeromq_dealer::zeromq_dealer(zeromq_dealer&& other) noexcept
    : m_context(std::exchange(other.m_context, nullptr)), m_socket(std::exchange(other.m_socket, nullptr)) {}

zeromq_dealer& zeromq_dealer::operator=(zeromq_dealer&& other) noexcept {
  std::swap(m_context, other.m_context);
  std::swap(m_socket, other.m_socket);
  return *this;
}

zeromq_dealer::~zeromq_dealer() {
  if (m_socket) zeromq().close(m_socket);
  while (m_context && zeromq().ctx_term(m_context) != 0 && errno == EINTR) {
  }
}

void zeromq_dealer::leave_to_parent() noexcept { m_context = m_socket = nullptr; }

void zeromq_dealer::send(const std::string& message) noexcept {
  static_cast<void>(zeromq().send(m_socket, message.data(), message.size(), ZMQ_DONTWAIT));
}

std::optional<std::string> zeromq_dealer::receive() {
  const library& z = zeromq();
  const auto receive_part = [&](std::string& text, bool& has_more) {
    zmq_msg_t part;
    z.msg_init(&part);
    const bool there = z.msg_recv(&part, m_socket, ZMQ_DONTWAIT) >= 0;
    if (there) text.assign(static_cast<const char*>(z.msg_data(&part)), z.msg_size(&part));
    z.msg_close(&part);
    int more = 0;
    std::size_t size = sizeof more;
    z.getsockopt(m_socket, ZMQ_RCVMORE, &more, &size);
    has_more = there && more != 0;
    return there;
  };
  std::string text, rest;
  for (bool has_more = false; receive_part(text, has_more);) {
    if (!has_more) return text;
    while (has_more && receive_part(rest, has_more)) {
    }
  }
  return std::nullopt;
}

void zeromq_dealer::wait(int descriptor, std::int64_t timeout_ns) noexcept {
  zmq_pollitem_t items[2] = {{m_socket, 0, ZMQ_POLLIN, 0}, {nullptr, descriptor, ZMQ_POLLIN, 0}};
  const std::int64_t ms = timeout_ns < 0 ? -1 : std::min<std::int64_t>((timeout_ns + 999'999) / 1'000'000, INT_MAX);
  zeromq().poll(items, descriptor < 0 ? 1 : 2, static_cast<long>(ms));
}

} // namespace treadle::detail
