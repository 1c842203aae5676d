#include "agent_link/messages.hpp"

#include "agent_link/wish.hpp"

#include <nlohmann/json.hpp>

#include <cmath>
#include <stdexcept>
#include <type_traits>
#include <utility>

namespace treadle::detail {
namespace {

using nlohmann::json;

constexpr int k_depth_max = 16; // what handles nested values calls itself

[[noreturn]] void refuse(const std::string& why) { throw std::invalid_argument("message to or from an agent: " + why); }

/// The fields of one object. Each has to be there and of its type, or be optional.
class fields {
 public:
  explicit fields(const json& object, std::string where = "") : m_object(object), m_where(std::move(where)) {}

  const json* find(const char* name) const {
    const auto found = m_object.find(name);
    return found == m_object.end() || found->is_null() ? nullptr : &*found;
  }
  const json& at(const char* name) const {
    const json* const found = find(name);
    if (!found) refuse(m_where + name + " is missing");
    return *found;
  }

  template <class T>
  void read(const char* name, T& to) const {
    convert(name, at(name), to);
  }
  template <class T>
  void read_optional(const char* name, T& to) const {
    if (const json* const found = find(name)) convert(name, *found, to);
  }

 private:
  template <class T>
  void convert(const char* name, const json& from, T& to) const {
    const auto expect = [&](bool is_so, const char* what) {
      if (!is_so) refuse(m_where + name + ": expected " + what);
    };
    if constexpr (std::is_same_v<T, std::string>) {
      expect(from.is_string(), "a text");
      to = from.get<std::string>();
      expect(to.size() <= 4096, "at most 4096 bytes");
    } else if constexpr (std::is_same_v<T, bool>) {
      expect(from.is_boolean(), "true or false");
      to = from.get<bool>();
    } else if constexpr (std::is_same_v<T, double>) {
      expect(from.is_number(), "a number");
      to = from.get<double>();
      expect(std::isfinite(to) && to >= 0, "a number that is not negative");
    } else if constexpr (std::is_same_v<T, std::vector<unsigned>>) {
      expect(from.is_array() && from.size() <= 4096, "at most 4096 numbers");
      to.clear();
      for (const json& one : from) convert(name, one, to.emplace_back());
    } else {
      expect(from.is_number_unsigned() && from.get<std::uint64_t>() <= k_most<T>,
             "a whole number that is not negative");
      to = static_cast<T>(from.get<std::uint64_t>());
    }
  }
  /// Of threads, processes, milliseconds: no machine has more, and sums of some of them stay numbers.
  template <class T>
  static constexpr std::uint64_t k_most = sizeof(T) == 8 ? (std::uint64_t{1} << 62) : (std::uint64_t{1} << 30);

  const json& m_object;
  const std::string m_where;
};

json object_of(const core_wish& w) {
  return {{"least", w.least}, {"most", w.most}, {"weight", w.weight}, {"preferred", w.is_preferred},
          {"group", w.group}, {"role", w.role}, {"target", w.target}};
}
core_wish wish_from(const json& object) {
  if (!object.is_object()) refuse("wish: expected an object");
  const fields f(object, "wish.");
  core_wish w;
  f.read_optional("least", w.least);
  f.read_optional("most", w.most);
  f.read_optional("weight", w.weight);
  f.read_optional("preferred", w.is_preferred);
  f.read_optional("group", w.group);
  f.read_optional("role", w.role);
  f.read_optional("target", w.target);
  check(w, "message to or from an agent: wish");
  return w;
}

// Each type: its name, its fields, and how it is read.
struct writer {
  json operator()(const message::hello& m) const {
    return {{"type", "hello"},
            {"program", m.program},
            {"pid", m.pid},
            {"name", m.name},
            {"workers", m.workers},
            {"epoch", m.epoch},
            {"wish", object_of(m.wish)},
            {"command", m.is_command}};
  }
  json operator()(const message::ack& m) const { return {{"type", "ack"}, {"epoch", m.epoch}}; }
  json operator()(const message::effective& m) const {
    return {{"type", "effective"}, {"epoch", m.epoch}, {"after_us", m.after_us}};
  }
  json operator()(const message::need& m) const { return {{"type", "need"}, {"workers", m.workers}}; }
  json operator()(const message::bye&) const { return {{"type", "bye"}}; }
  json operator()(const message::grant& m) const {
    return {{"type", "grant"},        {"epoch", m.epoch},   {"workers", m.workers},
            {"lease_ms", m.lease_ms}, {"reason", m.reason}, {"cpus", m.cpus}};
  }
  json operator()(const message::who&) const { return {{"type", "who"}}; }
  json operator()(const message::refused& m) const { return {{"type", "refused"}, {"why", m.why}}; }
  json operator()(const message::request& m) const {
    if (!m.arguments.empty() && !json::accept(m.arguments)) refuse("arguments: no JSON");
    return {{"type", "request"},
            {"command", m.command},
            {"arguments", json::parse(m.arguments.empty() ? "{}" : m.arguments)}};
  }
  json operator()(const message::answer& m) const { return {{"type", "answer"}, {"content", json::parse(m.content)}}; }
};

any_message read(const std::string& type, const fields& f) {
  if (type == "hello") {
    message::hello m;
    f.read("program", m.program);
    if (m.program.size() != 32 || m.program.find_first_not_of("0123456789abcdef") != std::string::npos)
      refuse("program: expected 32 hexadecimal digits");
    unsigned pid = 0;
    f.read("pid", pid);
    m.pid = static_cast<int>(pid);
    f.read("name", m.name);
    f.read("workers", m.workers);
    if (m.workers == 0) refuse("workers: expected at least 1");
    f.read_optional("epoch", m.epoch);
    if (m.epoch > k_epoch_most) refuse("epoch: expected at most 2^61, which no agent comes to");
    if (const json* const wish = f.find("wish")) m.wish = wish_from(*wish);
    f.read_optional("command", m.is_command);
    return m;
  }
  if (type == "ack") {
    message::ack m;
    f.read("epoch", m.epoch);
    return m;
  }
  if (type == "effective") {
    message::effective m;
    f.read("epoch", m.epoch);
    f.read("after_us", m.after_us);
    return m;
  }
  if (type == "need") {
    message::need m;
    f.read("workers", m.workers);
    return m;
  }
  if (type == "bye") return message::bye{};
  if (type == "grant") {
    message::grant m;
    f.read("epoch", m.epoch);
    f.read("workers", m.workers);
    f.read("lease_ms", m.lease_ms);
    f.read_optional("reason", m.reason);
    f.read_optional("cpus", m.cpus);
    if (m.epoch == 0 || m.lease_ms == 0) refuse("epoch and lease_ms: expected at least 1");
    return m;
  }
  if (type == "who") return message::who{};
  if (type == "refused") {
    message::refused m;
    f.read("why", m.why);
    return m;
  }
  if (type == "request") {
    message::request m;
    f.read("command", m.command);
    const json* const arguments = f.find("arguments");
    if (arguments && !arguments->is_object()) refuse("arguments: expected an object");
    m.arguments = arguments ? arguments->dump() : "{}";
    return m;
  }
  if (type == "answer") return message::answer{f.at("content").dump()};
  refuse("type '" + type + "' is not known");
}

} // namespace

std::string to_json(const any_message& m) {
  json object = std::visit(writer(), m);
  object["version"] = k_protocol_version;
  return object.dump(-1, ' ', false, json::error_handler_t::replace); // names may be any bytes
}

any_message message_from_json(std::string_view text, std::size_t bytes_max) {
  if (text.size() > bytes_max) refuse("longer than " + std::to_string(bytes_max) + " bytes");
  json object;
  try {
    object = json::parse(text, [](int depth, json::parse_event_t, json&) {
      if (depth > k_depth_max) refuse("nested too deeply");
      return true;
    });
  } catch (const json::exception& e) {
    refuse(std::string("no JSON: ") + e.what());
  }
  if (!object.is_object()) refuse("expected an object");
  const fields f(object);
  unsigned version = 0;
  f.read("version", version);
  if (version != k_protocol_version)
    refuse("version " + std::to_string(version) + "; this one speaks " + std::to_string(k_protocol_version));
  std::string type;
  f.read("type", type);
  return read(type, f);
}

} // namespace treadle::detail
