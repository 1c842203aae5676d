#include "agent/server.hpp"

#include "agent/decision_log.hpp"
#include "agent/folder.hpp"
#include "agent/machine.hpp"
#include "agent/process_tree.hpp"
#include "agent/roster.hpp"
#include "agent/transport.hpp"
#include "agent_link/environment.hpp"
#include "base/clock.hpp"
#include "base/file_text.hpp"
#include "base/metrics_socket.hpp"
#include "observe/programs/invitation.hpp"
#include "observe/programs/page_file.hpp"
#include "observe/programs/private_directory.hpp"
#include "observe/programs/text.hpp"
#include "topology/usable_cores.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <map>
#include <mutex>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <system_error>
#include <utility>

#include <sys/resource.h>
#include <sys/signalfd.h>
#include <unistd.h>

namespace treadle::agent {
namespace {

using nlohmann::json;
namespace message = detail::message;

constexpr std::int64_t k_ms = 1'000'000;
constexpr std::size_t k_why_bytes = 1000; // what was wrong may be long
constexpr std::size_t k_cause_bytes = 300;
constexpr int k_messages_at_once = 200;
constexpr std::int64_t k_answer_ns = 3 * k_ms;      // that programs have to write their pages before a sample
constexpr std::int64_t k_event_ns = 1 * k_ms;       // events that come together are one
constexpr std::int64_t k_forget_ns = 60'000 * k_ms; // settings of programs that have not come back since a restart

/// Blocks them for all threads that begin later.
int open_signals() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGINT);
  sigaddset(&set, SIGTERM);
  sigaddset(&set, SIGHUP);
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

/// What the agent watches of one program.
struct watched_program {
  watched_process process;
  detail::page_file page;
  std::optional<detail::program_state> state;
  std::optional<double> cpu_s; // at the last sample
  double used_s = 0;           // between the last two
  double granted_s = 0;        // workers times seconds since the last sample
};

json as_json(const detail::program_state& s) {
  json streams = json::object(), decisions = json::array();
  for (const auto& one : s.streams)
    if (one.at_ns != 0) streams[detail::text_of(one.stream)] = one.value;
  return {{"workers", s.workers}, {"active", s.active}, {"searching", s.searching}, {"parked", s.parked},
          {"blocked", s.blocked}, {"queued", s.queued}, {"executed", s.executed},   {"progress", streams}};
}

} // namespace

class server::parts {
 public:
  explicit parts(const server_options& options)
      : m_folder(prepared(options.folder)),
        m_lock(lock_folder(m_folder)),
        m_signals(open_signals()),
        m_roster(programs_max()),
        m_transport(socket_file()),
        m_log(m_folder + "/decisions.jsonl"),
        m_metrics(m_folder + "/metrics.sock", [this] { return published_metrics(); }),
        m_cpus(with_distances(own_cpus())) {
    if (!options.listen.empty()) {
      if (options.keys.empty())
        throw std::invalid_argument(options.listen + " needs the keys of CURVE: anybody could come otherwise");
      m_transport.listen(options.listen, read_server_keys(options.keys));
    }
    m_socket = detail::file_identity(socket_file());
    restore();
    m_began_ns = m_last_sample_ns = m_last_look_ns = detail::steady_now_ns();
    m_next_sample_ns = m_began_ns;
    detail::invite_programs();
  }
  ~parts() {
    if (detail::file_identity(socket_file()) == m_socket) unlink(socket_file().c_str());
  }
  parts(const parts&) = delete;
  parts& operator=(const parts&) = delete;

  void change_settings(const json& object) {
    change(m_settings, object);
    save();
    m_next_sample_ns = detail::steady_now_ns();
    decide_soon("settings changed", detail::steady_now_ns());
  }

  void run() {
    while (!m_ends) {
      wait();
      const std::int64_t now = detail::steady_now_ns();
      for (int left = k_messages_at_once; left > 0; --left) { // leases and ends do not wait for somebody who sends on
        const auto m = m_transport.receive();
        if (!m) break;
        receive(*m, detail::steady_now_ns());
      }
      note_ends();
      act_on(m_roster.look(now, lease_ns()), now);
      if (now >= m_next_sample_ns && !m_asked) ask_pages(now);
      if (m_asked && now >= m_answers_ns)
        decide(now, true);
      else if (m_decide_ns && now >= *m_decide_ns)
        decide(now, false);
    }
    free_all();
  }

 private:
  std::string socket_file() const { return m_folder + '/' + detail::k_agent_socket; }
  /// A connection and a descriptor of the process for each.
  static std::size_t programs_max() noexcept {
    rlimit limit;
    const bool is_known = getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
    return is_known ? std::clamp<std::size_t>(limit.rlim_cur / 3, 1, 4096) : 4096;
  }
  static const std::string& prepared(const std::string& folder) {
    detail::require_private_directory(folder);
    return folder;
  }
  std::int64_t period_ns() const { return static_cast<std::int64_t>(m_settings.period_s * 1e9); }
  std::int64_t lease_ns() const { return static_cast<std::int64_t>(m_settings.lease_s * 1e9); }
  unsigned lease_ms() const { return static_cast<unsigned>(std::lround(m_settings.lease_s * 1e3)); }

  void wait() {
    std::int64_t next = m_asked ? m_answers_ns : m_next_sample_ns;
    if (m_decide_ns) next = std::min(next, *m_decide_ns);
    std::vector<zmq::pollitem_t> items;
    m_transport.add_to(items);
    items.push_back({nullptr, m_signals.get(), ZMQ_POLLIN, 0});
    for (const auto& [number, one] : m_watched)
      if (one.process.descriptor() >= 0) items.push_back({nullptr, one.process.descriptor(), ZMQ_POLLIN, 0});
    const std::int64_t left_ns = std::max<std::int64_t>(next - detail::steady_now_ns(), 0);
    zmq::poll(items, std::chrono::milliseconds((left_ns + k_ms - 1) / k_ms));
    signalfd_siginfo got;
    if (read(m_signals.get(), &got, sizeof got) == sizeof got) m_ends = true;
  }

  void receive(const transport::received& m, std::int64_t now) {
    try {
      const detail::any_message what = detail::message_from_json(m.text);
      if (const auto* const request = std::get_if<message::request>(&what)) {
        m_transport.send(m.route, detail::to_json(message::answer{
                                      perform(*request).dump(-1, ' ', false, json::error_handler_t::replace)}));
        return;
      }
      act_on(m_roster.receive(m.route, m.peer, what, now), now);
    } catch (const std::exception& e) { // a message that is none, or a request that cannot be
      ++m_bad_messages;
      m_transport.send(m.route, detail::to_json(message::refused{std::string(e.what()).substr(0, k_why_bytes)}));
    }
  }

  void act_on(const roster::result& r, std::int64_t now) {
    for (const roster::outgoing& one : r.send) m_transport.send(one.route, detail::to_json(one.what));
    if (r.must_decide) decide_soon(r.cause, now);
  }
  void decide_soon(const std::string& cause, std::int64_t now) {
    if (!m_decide_ns) m_decide_ns = now + k_event_ns;
    if (m_cause.size() < k_cause_bytes)
      m_cause += (m_cause.empty() ? "" : ", ") + cause;
    else if (!m_cause.ends_with(" and more"))
      m_cause += " and more";
  }

  /// Programs are watched as long as they are known.
  void watch_members() {
    std::erase_if(m_watched, [&](const auto& one) {
      return std::none_of(m_roster.all().begin(), m_roster.all().end(),
                          [&](const member& m) { return m.program == one.first; });
    });
    for (const member& m : m_roster.all()) {
      if (m_watched.count(m.program) != 0) continue;
      m_watched.emplace(m.program, watched_program{watched_process(m.pid), {}, {}, {}, 0, 0});
    }
  }
  void note_ends() {
    watch_members();
    std::vector<int> ended;
    for (const auto& [number, one] : m_watched)
      if (one.process.has_ended()) ended.push_back(one.process.pid());
    for (const int pid : ended) act_on(m_roster.ended(pid), detail::steady_now_ns());
    if (!ended.empty()) m_decide_ns = detail::steady_now_ns();
  }

  /// What it says a moment later is from now.
  void ask_pages(std::int64_t now) {
    for (auto& [number, one] : m_watched) {
      // It comes 50 ms after a program begins, and not at all where nobody may look.
      if (!one.page && one.process.pid() != 0)
        one.page = detail::page_file::open(detail::page_directory() + '/' + std::to_string(one.process.pid()));
      if (one.page) detail::ask(*one.page);
    }
    if (!(detail::file_identity(m_lock.get()) == detail::file_identity(m_folder + "/agent.lock")))
      throw std::runtime_error(m_folder + " is not what it was: somebody has removed it");
    m_asked = true;
    m_answers_ns = now + k_answer_ns;
  }

  void count_grants(std::int64_t now) {
    const double seconds = static_cast<double>(now - std::exchange(m_last_look_ns, now)) / 1e9;
    for (const member& m : m_roster.all())
      if (const auto found = m_watched.find(m.program); found != m_watched.end())
        found->second.granted_s += seconds * m.granted;
  }

  /// Progress of the stream that the role calls for, otherwise of the first.
  static std::optional<double> stream_of(const detail::program_state& s, std::string_view wanted, bool or_first) {
    for (const auto& one : s.streams)
      if (one.at_ns != 0 && detail::text_of(one.stream) == wanted) return one.value;
    for (const auto& one : s.streams)
      if (or_first && one.at_ns != 0) return one.value;
    return std::nullopt;
  }

  std::vector<program_view> take_sample(double seconds) {
    std::vector<program_view> views;
    std::optional<process_table> processes; // read once, where there are commands
    double own_s = 0;
    for (const member& m : m_roster.all()) {
      program_view v = m_roster.view_of(m);
      watched_program& w = m_watched.at(m.program);
      detail::program_state state;
      if (w.page && read_state(*w.page, state)) w.state = state;
      if (w.state) {
        v.progress = stream_of(*w.state, v.role == "consumer" ? "consumed" : "produced", true);
        v.total = stream_of(*w.state, "total", false);
      }
      if (m.is_command && !processes) processes.emplace();
      const std::optional<double> cpu = m.is_command ? processes->cpu_s(processes->tree(m.pid)) : w.process.cpu_s();
      w.used_s = cpu && w.cpu_s ? std::max(*cpu - *w.cpu_s, 0.0) : 0;
      w.cpu_s = cpu;
      v.used_s = w.used_s;
      v.granted = seconds > 0 ? std::exchange(w.granted_s, 0) / seconds : m.granted;
      if (!m.is_silent) own_s += w.used_s; // it has become another program, perhaps
      views.push_back(std::move(v));
    }
    const double busy = busy_s(detail::file_text("/proc/stat"), m_cpus.cpus, static_cast<double>(sysconf(_SC_CLK_TCK)));
    if (m_busy_s) m_foreign.observe(seconds, busy - *m_busy_s, own_s);
    m_busy_s = busy;
    if (std::vector<unsigned> now = own_cpus(); now != m_cpus.cpus) m_cpus = with_distances(std::move(now));
    return views;
  }

  void decide(std::int64_t now, bool is_sample) {
    m_decide_ns.reset();
    const std::string cause = is_sample && m_cause.empty() ? "period" : std::exchange(m_cause, "");
    count_grants(now);
    machine_view machine;
    std::vector<program_view> views;
    if (is_sample) {
      machine.sample_s = static_cast<double>(now - std::exchange(m_last_sample_ns, now)) / 1e9;
      m_sample_s = std::max(*machine.sample_s, 1e-3);
      views = take_sample(*machine.sample_s);
      m_usable = detail::usable_cores();
      m_asked = false;
      m_next_sample_ns = std::max(m_next_sample_ns + period_ns(), now + period_ns() / 2);
      if (now - m_began_ns > k_forget_ns) m_roster.forget_absent();
    } else {
      for (const member& m : m_roster.all()) views.push_back(m_roster.view_of(m));
    }
    const bool takes_off = m_settings.cores == 0 && m_settings.minus_foreign;
    const unsigned cores = m_settings.cores != 0 ? m_settings.cores : m_usable;
    machine.cores = capacity(cores, takes_off ? m_foreign.cores() : 0);
    machine.turn = static_cast<std::uint64_t>(static_cast<double>(now) / 1e9 / m_settings.turn_s);
    const json before = m_sharing.state();
    const std::vector<share> shares = m_sharing.decide(m_settings, machine, views);
    const bool is_same =
        std::equal(shares.begin(), shares.end(), m_roster.all().begin(), m_roster.all().end(),
                   [](const share& s, const member& m) { return m.epoch != 0 && s.workers == m.granted; });
    if (!is_same || cause != "period")
      m_log.add(static_cast<double>(now) / 1e9, cause, m_settings, machine, views, before, shares);
    m_shared = machine.cores;
    ++m_decisions;
    for (const roster::outgoing& one : m_roster.grant(shares, now, lease_ms(), m_cpus))
      m_transport.send(one.route, detail::to_json(one.what));
    std::string now_served = metrics();
    const std::lock_guard guard(m_metrics_mutex);
    m_metrics_text = std::move(now_served);
  }

  void free_all() {
    for (const member& m : m_roster.all())
      m_transport.send(m.route, detail::to_json(message::grant{m.epoch, m.granted, 1, "the agent stops"}));
  }

  json perform(const message::request& r) {
    const json arguments = json::parse(r.arguments);
    const auto text = [&](const char* name) {
      if (!arguments.contains(name) || !arguments[name].is_string())
        throw std::invalid_argument(r.command + ": expected " + name);
      return arguments[name].get<std::string>();
    };
    const std::int64_t now = detail::steady_now_ns();
    if (r.command == "status") return status();
    if (r.command == "settings") {
      change_settings(arguments);
      return to_json(m_settings);
    }
    if (r.command == "set") {
      m_roster.set(text("program"), arguments.value("wish", json::object()));
      save();
      decide_soon("set", now);
      return status();
    }
    if (r.command == "stop") {
      m_ends = true;
      return {{"stops", getpid()}};
    }
    throw std::invalid_argument("no command '" + r.command + "'; there are status, settings, set, stop");
  }

  json status() {
    json programs = json::array();
    for (const member& m : m_roster.all()) {
      json one = to_json(m_roster.view_of(m));
      one["pid"] = m.pid;
      one["granted"] = m.granted;
      one["cpus"] = m.cpus;
      one["epoch"] = m.epoch;
      one["reason"] = m.reason;
      one["acknowledged"] = m.acknowledged == m.epoch;
      one["acknowledged_after_us"] = static_cast<double>(m.acknowledged_after_ns) / 1e3;
      one["took_effect_us"] = m.took_effect_us ? json(*m.took_effect_us) : json();
      one["set"] = to_json(m.instead);
      if (const auto w = m_watched.find(m.program); w != m_watched.end()) {
        one["used_cores"] = w->second.used_s / m_sample_s;
        if (w->second.state) one["state"] = as_json(*w->second.state);
        if (!m.is_command) one["page"] = bool{w->second.page}; // a command is no program of Treadle's, perhaps
      }
      programs.push_back(std::move(one));
    }
    return {{"agent",
             {{"pid", getpid()},
              {"folder", m_folder},
              {"pages", detail::page_directory()},
              {"runs_s", seconds_since(m_began_ns)},
              {"decisions", m_decisions},
              {"bad_messages", m_bad_messages + m_transport.refused()}}},
            {"settings", to_json(m_settings)},
            {"cores", {{"usable", m_usable}, {"foreign", m_foreign.cores()}, {"shared", m_shared}}},
            {"programs", programs}};
  }
  static double seconds_since(std::int64_t then_ns) {
    return static_cast<double>(detail::steady_now_ns() - then_ns) / 1e9;
  }

  std::string published_metrics() {
    const std::lock_guard guard(m_metrics_mutex);
    return m_metrics_text;
  }
  std::string metrics() const {
    std::ostringstream out;
    const auto describe = [&](const char* name, const char* type, const char* help) {
      out << "# TYPE " << name << ' ' << type << "\n# HELP " << name << ' ' << help << '\n';
    };
    describe("treadle_agent_cores", "gauge", "Cores that are shared out.");
    out << "treadle_agent_cores " << m_shared << '\n';
    describe("treadle_agent_foreign_cores", "gauge", "Cores that other programs keep busy.");
    out << "treadle_agent_foreign_cores " << m_foreign.cores() << '\n';
    describe("treadle_agent_decisions", "counter", "How often cores were shared out.");
    out << "treadle_agent_decisions_total " << m_decisions << '\n';
    describe("treadle_agent_bad_messages", "counter", "Messages and connections that were refused.");
    out << "treadle_agent_bad_messages_total " << m_bad_messages + m_transport.refused() << '\n';
    const auto each = [&](const char* name, const char* help, auto value) {
      describe(name, "gauge", help);
      for (const member& m : m_roster.all())
        out << name << "{pid=\"" << m.pid << "\",name=" << detail::metrics_label(m.name) << "} " << value(m) << '\n';
    };
    each("treadle_program_granted_workers", "Workers that may be active.", [](const member& m) { return m.granted; });
    each("treadle_program_used_cores", "Cores that it kept busy in the last period.", [&](const member& m) {
      const auto w = m_watched.find(m.program);
      return w == m_watched.end() ? 0.0 : w->second.used_s / m_sample_s;
    });
    each("treadle_program_idle", "1 where none of its tasks could run.",
         [](const member& m) { return int{m.is_idle}; });
    out << "# EOF\n";
    return out.str();
  }

  void save() {
    write_json_file(m_folder + "/agent.json", {{"settings", to_json(m_settings)}, {"programs", m_roster.state()}});
  }
  void restore() {
    const std::string file = m_folder + "/agent.json";
    try {
      const json saved = read_json_file(file);
      if (saved.is_null()) return;
      change(m_settings, saved.at("settings"));
      m_roster.restore(saved.at("programs"));
    } catch (const std::exception& e) {
      throw std::runtime_error(std::string(e.what()) + " (remove " + file + " to begin anew)");
    }
  }

  const std::string m_folder;
  const detail::posix_file m_lock, m_signals;
  roster m_roster;
  transport m_transport;
  detail::file_identity m_socket;
  decision_log m_log;
  std::mutex m_metrics_mutex; // of the text
  std::string m_metrics_text = "# EOF\n";
  detail::metrics_socket m_metrics;
  settings m_settings;
  sharing m_sharing;
  std::map<std::string, watched_program> m_watched; // by number of the program
  foreign_load m_foreign;
  decide::cpus_and_distances m_cpus;
  std::optional<double> m_busy_s;
  unsigned m_usable = detail::usable_cores(), m_shared = 0;
  std::int64_t m_began_ns = 0, m_last_sample_ns = 0, m_last_look_ns = 0, m_next_sample_ns = 0, m_answers_ns = 0;
  std::optional<std::int64_t> m_decide_ns;
  std::string m_cause;
  double m_sample_s = 1; // the last one
  bool m_asked = false, m_ends = false;
  std::uint64_t m_decisions = 0, m_bad_messages = 0;
};

server::server(const server_options& options) : m_parts(std::make_unique<parts>(options)) {}
server::~server() = default;
void server::change_settings(const json& object) { m_parts->change_settings(object); }
void server::run() { m_parts->run(); }

} // namespace treadle::agent
