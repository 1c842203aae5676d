#include "observe/programs/progress.hpp"

#include <treadle/observe/programs.hpp>

#include "base/clock.hpp"
#include "base/fork.hpp"
#include "observe/programs/text.hpp"

#include <cstring>
#include <mutex>

namespace treadle {
namespace detail {
namespace {

struct stream {
  char name[sizeof program_state::progress::stream] = {};
  atomic<bool> is_there{false}; // the name stays as it is from then on
  atomic<double> value{0};
  atomic<std::int64_t> at_ns{0};
};
constinit stream g_streams[k_streams];

fork_safe_mutex& adding() {
  static auto& mutex = *new fork_safe_mutex;
  return mutex;
}

stream* find(const char* name) noexcept {
  for (stream& one : g_streams) {
    if (!one.is_there.load(order::acquire)) return nullptr; // pairs with find_or_add(): the name
    if (std::strcmp(one.name, name) == 0) return &one;
  }
  return nullptr;
}

stream* find_or_add(const char* name) {
  if (stream* const known = find(name)) return known;
  const std::lock_guard guard(adding());
  if (stream* const known = find(name)) return known; // another thread was faster
  for (stream& one : g_streams) {
    if (one.is_there.load(order::relaxed)) continue;
    std::strcpy(one.name, name);
    one.is_there.store(true, order::release);
    return &one;
  }
  return nullptr;
}

} // namespace

void read_progress(program_state::progress (&into)[k_streams]) noexcept {
  for (int i = 0; i < k_streams; ++i) {
    const stream& from = g_streams[i];
    if (!from.is_there.load(order::acquire)) return;
    copy_text(from.name, into[i].stream);
    into[i].at_ns = from.at_ns.load(order::acquire); // pairs with report_progress(): a value as late as that
    into[i].value = from.value.load(order::relaxed);
  }
}

} // namespace detail

void report_progress(double value, std::string_view name) noexcept {
  char shortened[sizeof detail::program_state::progress::stream];
  detail::copy_text(name, shortened);
  detail::stream* const to = detail::find_or_add(shortened);
  if (!to) return;
  to->value.store(value, detail::order::relaxed);
  to->at_ns.store(detail::steady_now_ns(), detail::order::release);
}

} // namespace treadle
