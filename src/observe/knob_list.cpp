#include "observe/knob_list.hpp"

#include "base/fork.hpp"
#include "observe/emit.hpp"

#include <algorithm>
#include <cstdlib>
#include <mutex>
#include <stdexcept>

namespace treadle::detail {
namespace {

struct given_value {
  std::string source, name, value;
  bool is_known = false; // a knob has had it
};

struct knob_list {
  fork_safe_mutex mutex;
  std::vector<listed_knob*> all;
  std::vector<given_value> given;
};
knob_list& list() {
  static knob_list* l = new knob_list; // never destroyed: knobs may be static objects
  return *l;
}

} // namespace

knob_listing::knob_listing(listed_knob& of) : m_of(of) {
  knob_list& l = list();
  const std::lock_guard guard(l.mutex);
  for (given_value& given : l.given) {
    if (given.name != of.knob_name()) continue;
    given.is_known = true;
    try {
      of.set_from_text(given.value);
    } catch (const std::invalid_argument& e) {
      throw std::invalid_argument(given.source + ": " + e.what());
    }
    m_is_given = true;
  }
  l.all.push_back(&of);
}
knob_listing::~knob_listing() {
  knob_list& l = list();
  const std::lock_guard guard(l.mutex);
  std::erase(l.all, &m_of);
}

void give_knob(std::string source, std::string name, std::string value) {
  knob_list& l = list();
  const std::lock_guard guard(l.mutex);
  l.given.push_back({std::move(source), std::move(name), std::move(value)});
}

double listed_knob::knob_number() const noexcept { return std::strtod(knob_value().c_str(), nullptr); }

void trace_knob(std::string_view name, double value) noexcept {
  if (!is_wanted(event_kind::knob)) return;
  try {
    emit({.kind = event_kind::knob, .name = kept_for_traces("knob " + std::string(name)), .value = value});
  } catch (...) { // no memory
  }
}
void trace_knob(const listed_knob& one) noexcept {
  if (is_wanted(event_kind::knob)) trace_knob(one.knob_name(), one.knob_number());
}

void trace_knobs() {
  for_each_knob([](const listed_knob& one) { trace_knob(one); });
}

void visit_knobs(void (*visit)(void*, listed_knob&), void* context) {
  knob_list& l = list();
  const std::lock_guard guard(l.mutex);
  for (listed_knob* knob : l.all) visit(context, *knob);
}

std::string knob_table() {
  std::vector<std::string> lines;
  for_each_knob([&](listed_knob& knob) {
    std::string line = std::string(knob.knob_name()) + " = " + knob.knob_value() + "  (" + knob.knob_values() + ")\n";
    if (!knob.knob_meaning().empty()) line += "    " + std::string(knob.knob_meaning()) + "\n";
    lines.push_back(std::move(line));
  });
  std::sort(lines.begin(), lines.end());
  std::string table;
  for (const std::string& line : lines) table += line;
  return table + unknown_knobs();
}

std::string unknown_knobs() {
  knob_list& l = list();
  const std::lock_guard guard(l.mutex);
  std::string lines;
  for (const given_value& given : l.given)
    if (!given.is_known) lines += given.source + ": there is no knob '" + given.name + "'\n";
  return lines;
}

} // namespace treadle::detail
