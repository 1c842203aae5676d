// What treadle.mpi is made of: bytes from one process to another.
#include "localities.hpp"

#include <treadle/arrays/over_localities.hpp>
#include <treadle/localities/collectives.hpp>

#include <nanobind/stl/string.h>

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace treadle::python {
namespace {

namespace nb = nanobind;
using namespace nb::literals;

struct arrival {
  int kind; ///< as treadle/mpi.py has them
  unsigned from;
  std::uint64_t ticket;
  std::string bytes;
};

/// For a thread of Python's: handlers of messages have no time to wait for it.
class inbox {
 public:
  void put(arrival one) {
    {
      const std::lock_guard guard(m_lock);
      m_arrivals.push_back(std::move(one));
    }
    m_changed.notify_one();
  }
  std::optional<arrival> take() {
    std::unique_lock guard(m_lock);
    m_changed.wait(guard, [&] { return m_is_closed || !m_arrivals.empty(); });
    if (m_arrivals.empty()) return std::nullopt;
    arrival first = std::move(m_arrivals.front());
    m_arrivals.pop_front();
    return first;
  }
  void close() {
    {
      const std::lock_guard guard(m_lock);
      m_is_closed = true;
    }
    m_changed.notify_all();
  }

 private:
  std::mutex m_lock;
  std::condition_variable m_changed;
  std::deque<arrival> m_arrivals;
  bool m_is_closed = false;
};
inbox& the_inbox() {
  static auto* const all = new inbox; // a thread may wait there while the process ends
  return *all;
}

void take_arrival(int kind, unsigned from, std::uint64_t ticket, std::string bytes) {
  the_inbox().put({kind, from, ticket, std::move(bytes)});
}

std::unique_ptr<localities>& all_localities() {
  static auto* const all = new std::unique_ptr<localities>;
  return *all;
}

std::optional<physl::over_localities>& all_arrays() {
  static auto* const one = new std::optional<physl::over_localities>;
  return *one;
}

/// Senders hold it shared. The end of td.mpi waits until none does, and closes it: sending is an error from then on.
struct gate {
  std::shared_mutex mutex;
  bool is_open = false;
};
gate& the_gate() {
  static auto* const one = new gate; // a thread may come while the process ends
  return *one;
}
void set_open(bool open) {
  const std::lock_guard guard(the_gate().mutex);
  the_gate().is_open = open;
}

/// What nobody ever gives fails when the connection does, which is how Python learns of it.
void watch_connection() {
  constexpr int k_trouble = -1;
  static_cast<void>(
      detail::take_deposit(find_here(), "treadle.mpi").then(launch::sync, [](future<std::vector<std::byte>> never) {
        try {
          never.get();
        } catch (const std::exception& failed) {
          the_inbox().put({k_trouble, 0, 0, failed.what()});
        }
      }));
}

} // namespace

void bind_localities(nb::module_& m) {
  m.def(
      "begin_localities",
      [] {
        if (all_localities()) return;
        all_localities() = std::make_unique<localities>();
        all_arrays().emplace();
        watch_connection();
        set_open(true);
      },
      nb::call_guard<nb::gil_scoped_release>());
  m.def("end_arrays", [] { all_arrays().reset(); }, nb::call_guard<nb::gil_scoped_release>());
  m.def(
      "end_localities",
      [] {
        set_open(false);
        all_localities().reset();
        the_inbox().close();
      },
      nb::call_guard<nb::gil_scoped_release>());
  m.def("locality", [] { return find_here().number(); });
  m.def("number_of_localities", &num_localities);
  m.def(
      "send_to",
      [](unsigned to, int kind, std::uint64_t ticket, const nb::bytes& bytes) {
        std::string copy(bytes.c_str(), bytes.size());
        const nb::gil_scoped_release others;
        const std::shared_lock inside(the_gate().mutex);
        if (!the_gate().is_open) throw std::runtime_error("td.mpi has ended");
        post<direct<take_arrival>>(locality(to), kind, find_here().number(), ticket, std::move(copy));
      },
      "to"_a, "kind"_a, "ticket"_a, "value"_a);
  // (kind, from, ticket, bytes); None at the end.
  m.def("next_arrival", []() -> nb::object {
    std::optional<arrival> next;
    {
      const nb::gil_scoped_release others;
      next = the_inbox().take();
    }
    if (!next) return nb::none();
    return nb::make_tuple(next->kind, next->from, next->ticket, nb::bytes(next->bytes.data(), next->bytes.size()));
  });
}

} // namespace treadle::python
