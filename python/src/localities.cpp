// What treadle.mpi is made of: calls of Python functions as bytes, between processes, and collectives over bytes.
#include "localities.hpp"

#include <treadle/localities/collectives.hpp>

#include <nanobind/stl/string.h>

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace treadle::python {
namespace {

namespace nb = nanobind;
using namespace nb::literals;

/// A call of a function, or what one has returned.
struct arrival {
  bool is_call;
  unsigned from;
  std::uint64_t ticket; ///< of who has called
  bool failed;
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

void take_call(unsigned from, std::uint64_t ticket, std::string bytes) {
  the_inbox().put({true, from, ticket, false, std::move(bytes)});
}
void take_result(unsigned from, std::uint64_t ticket, bool failed, std::string bytes) {
  the_inbox().put({false, from, ticket, failed, std::move(bytes)});
}

std::unique_ptr<localities>& all_localities() {
  static auto* const all = new std::unique_ptr<localities>;
  return *all;
}

nb::bytes as_bytes(const std::string& text) { return nb::bytes(text.data(), text.size()); }
std::string as_string(const nb::bytes& bytes) { return {bytes.c_str(), bytes.size()}; }
std::vector<std::string> as_strings(const nb::sequence& values) {
  std::vector<std::string> all;
  for (const nb::handle one : values) all.push_back(as_string(nb::cast<nb::bytes>(one)));
  return all;
}

template <class T>
T result_of(future<T> when) {
  const nb::gil_scoped_release others;
  return when.get();
}

/// None where there is nothing, as at other ranks than the root's.
nb::object as_list(const std::vector<std::string>& all) {
  if (all.empty()) return nb::none();
  nb::list found;
  for (const std::string& one : all) found.append(as_bytes(one));
  return found;
}

} // namespace

void bind_localities(nb::module_& m) {
  m.def(
      "begin_localities",
      [] {
        if (!all_localities()) all_localities() = std::make_unique<localities>();
      },
      nb::call_guard<nb::gil_scoped_release>());
  m.def(
      "end_localities",
      [] {
        all_localities().reset();
        the_inbox().close();
      },
      nb::call_guard<nb::gil_scoped_release>());
  m.def("locality", [] { return find_here().number(); });
  m.def("number_of_localities", &num_localities);
  m.def("send_call", [](unsigned to, std::uint64_t ticket, const nb::bytes& bytes) {
    std::string copy = as_string(bytes);
    const nb::gil_scoped_release others;
    post<direct<take_call>>(locality(to), find_here().number(), ticket, std::move(copy));
  });
  m.def("send_result", [](unsigned to, std::uint64_t ticket, bool failed, const nb::bytes& bytes) {
    std::string copy = as_string(bytes);
    const nb::gil_scoped_release others;
    post<direct<take_result>>(locality(to), find_here().number(), ticket, failed, std::move(copy));
  });
  // (is it a call, from, ticket, has it failed, bytes); None at the end.
  m.def("next_arrival", []() -> nb::object {
    std::optional<arrival> next;
    {
      const nb::gil_scoped_release others;
      next = the_inbox().take();
    }
    if (!next) return nb::none();
    return nb::make_tuple(next->is_call, next->from, next->ticket, next->failed, as_bytes(next->bytes));
  });

  nb::class_<communicator>(m, "Communicator")
      .def("__init__", [](communicator* self, std::string name) { new (self) communicator(std::move(name)); })
      .def("barrier",
           [](communicator& all) {
             const nb::gil_scoped_release others;
             barrier(all).get();
           })
      .def("broadcast", [](communicator& all, const nb::bytes& value,
                           unsigned root) { return as_bytes(result_of(broadcast(all, as_string(value), root))); })
      .def("gather", [](communicator& all, const nb::bytes& value,
                        unsigned root) { return as_list(result_of(gather(all, as_string(value), root))); })
      .def("all_gather", [](communicator& all,
                            const nb::bytes& value) { return as_list(result_of(all_gather(all, as_string(value)))); })
      .def("scatter", [](communicator& all, const nb::sequence& values,
                         unsigned root) { return as_bytes(result_of(scatter(all, as_strings(values), root))); })
      .def("all_to_all", [](communicator& all, const nb::sequence& values) {
        return as_list(result_of(all_to_all(all, as_strings(values))));
      });
}

} // namespace treadle::python
