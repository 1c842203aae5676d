#include "agent/decision_log.hpp"

#include <nlohmann/json.hpp>

#include <cerrno>
#include <cstdio>
#include <stdexcept>
#include <system_error>
#include <utility>

#include <sys/stat.h>

namespace treadle::agent {
namespace {

using nlohmann::json;

json shares_as_json(const std::vector<share>& shares) {
  json all = json::array();
  for (const share& one : shares) all.push_back({{"workers", one.workers}, {"reason", one.reason}});
  return all;
}

} // namespace

decision_log::decision_log(std::string file) : m_file(std::move(file)) { open(); }

void decision_log::open() {
  m_out.open(m_file, std::ios::app);
  if (!m_out) throw std::system_error(errno, std::generic_category(), m_file);
  struct stat found;
  m_bytes = stat(m_file.c_str(), &found) == 0 ? static_cast<std::uint64_t>(found.st_size) : 0;
}

void decision_log::add(double time_s, const std::string& cause, const settings& s, const machine_view& machine,
                       std::span<const program_view> programs, const json& state_before,
                       const std::vector<share>& shares) {
  json views = json::array();
  for (const program_view& one : programs) views.push_back(to_json(one));
  const json line = {
      {"time_s", time_s},  {"cause", cause},        {"settings", to_json(s)},          {"machine", to_json(machine)},
      {"programs", views}, {"state", state_before}, {"shares", shares_as_json(shares)}};
  const std::string text = line.dump(-1, ' ', false, json::error_handler_t::replace) + "\n";
  if (m_bytes + text.size() > k_bytes_max) {
    m_out.close();
    std::rename(m_file.c_str(), (m_file + ".1").c_str());
    open();
  }
  m_out << text << std::flush;
  m_bytes += text.size();
  if (!m_out) m_out.clear(); // a full disk: this one is lost
}

replayed replay(const std::string& file) {
  std::ifstream in(file);
  if (!in) throw std::system_error(errno, std::generic_category(), file);
  replayed result;
  std::size_t number = 0;
  for (std::string text; std::getline(in, text);) {
    const std::string where = "line " + std::to_string(++number);
    try {
      const json line = json::parse(text);
      settings s;
      change(s, line.at("settings"));
      std::vector<program_view> programs;
      for (const json& one : line.at("programs")) programs.push_back(program_from_json(one));
      sharing decides = sharing::from_state(line.at("state"));
      const json again = shares_as_json(decides.decide(s, machine_from_json(line.at("machine")), programs));
      ++result.decisions;
      if (again == line.at("shares")) continue;
      if (result.different++ == 0)
        result.first_difference = where + ": was " + line.at("shares").dump() + ", is " + again.dump();
    } catch (const std::exception& e) {
      throw std::invalid_argument(file + ", " + where + ": " + e.what());
    }
  }
  return result;
}

} // namespace treadle::agent
