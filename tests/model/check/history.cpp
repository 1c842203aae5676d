#include "model/check/execution.hpp"
#include "model/check/source.hpp"

#include <cstdio>

namespace treadle::check {
namespace {

std::string number(std::uint64_t value) {
  char text[32];
  if (value < 0x10000)
    std::snprintf(text, sizeof text, "%llu", static_cast<unsigned long long>(value));
  else
    std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(value));
  return text;
}

std::string padded(std::string text, std::size_t width) {
  if (text.size() < width) text.resize(width, ' ');
  return text + " ";
}

} // namespace

/// One line for each step: thread, operation, location with the stores read and written ("a3[1]=7" is store 1 of
/// location a3, with the value 7), and the line of the source.
std::string execution::history() const {
  std::string text;
  for (const event& e : m_events) {
    std::string operation = e.what;
    if (e.with) operation += std::string(" ") + name_of(*e.with);
    std::string access;
    const std::string name = e.location == event::k_none ? "" : "a" + std::to_string(e.location);
    const auto show = [&](std::uint32_t store) {
      return name + "[" + std::to_string(store) + "]=" + number(state.value(e.location, store));
    };
    if (e.read != event::k_none) {
      const unsigned writer = state.writer(e.location, e.read);
      access += show(e.read) + (writer == memory::k_nobody ? " (initial)" : " (by T" + std::to_string(writer) + ")");
    }
    if (e.written != event::k_none) access += (access.empty() ? "" : " -> ") + show(e.written);
    if (access.empty()) access = name;
    text += "  T" + std::to_string(e.thread) + "  " + padded(operation, 26) + padded(access, 34);
    if (e.where.line() != 0) {
      text += padded(short_name(e.where.file_name()) + ":" + std::to_string(e.where.line()), 40);
      text += source_line(e.where.file_name(), e.where.line());
    }
    text.erase(text.find_last_not_of(' ') + 1);
    text += '\n';
  }
  return text;
}

std::string execution::blocked_threads() const {
  std::string text;
  for (unsigned t = 0; t < m_threads.size(); ++t) {
    if (m_threads[t].doing == status::ended) continue;
    text += (text.empty() ? "T" : ", T") + std::to_string(t);
    text += m_threads[t].doing == status::joining ? " waits for the end of T" : " sleeps on a";
    text += std::to_string(m_threads[t].waits_for);
  }
  return text;
}

} // namespace treadle::check
