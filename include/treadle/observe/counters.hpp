#pragma once

#include <treadle/detail/config.hpp>

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// Named numbers that can be read while the program runs. All of them are always on: each worker counts for itself,
/// without locks, and the reader adds up.
///
/// Names follow HPX: `/object{instance}/counter@parameters`, such as `/threads{locality#0/total}/count/cumulative` or
/// `/threads{locality#0/pool#default/worker-thread#3}/time/average`; without an instance it is the total. In patterns
/// `*`, `?` and `[...]` stand for parts of an object or a counter, and `#*` for every instance of a kind. A malformed
/// name is refused with std::invalid_argument that marks the place. docs/reference/counters.md lists them all.
namespace treadle::counters {

/// What a value means.
enum class kind {
  gauge,     ///< the state at the moment of reading
  monotonic, ///< how many, or how much, since the start or the last reset of the reader
  average,   ///< a mean over what happened since then; NaN when nothing did
  ratio,     ///< a share of the time since then, in percent; NaN when there was none
  elapsed,   ///< time that has passed since then
  histogram, ///< how often each range of values occurred since then
};

const char* to_string(kind k) noexcept;

/// What is known of a counter without reading it.
struct description {
  std::string name; ///< in full, with its instance
  counters::kind kind = kind::gauge;
  std::string unit; ///< "ns", "%", "bytes"; empty for plain numbers
  std::string help; ///< a sentence
};

/// One value at one moment.
struct reading {
  std::string name;
  std::string unit;
  double value = 0;           ///< of a histogram: how many values it holds
  std::int64_t time_ns = 0;   ///< of the steady clock
  std::vector<double> ranges; ///< of a histogram: how many values lie in each; counters::description::help says which
  std::string missing;        ///< from a group: why there is no value at the moment; otherwise empty
};

} // namespace treadle::counters

namespace treadle::detail {
class counter_state;

/// What a counter is computed from. Both grow, except those of a gauge, so a reader that remembers them can subtract
/// them.
struct counter_sample {
  double value = 0;
  double base = 0;         ///< of averages and ratios: the divisor
  std::uint64_t epoch = 0; ///< changes when everything starts again from zero, as with a new runtime
  std::vector<double> ranges = {};
};

/// A user's function that reads a number.
class counter_function {
 public:
  virtual ~counter_function() = default;
  virtual double read() = 0;
};
template <class F>
class counter_function_of final : public counter_function {
 public:
  explicit counter_function_of(F function) : m_function(std::move(function)) {}
  double read() override { return static_cast<double>(m_function()); }

 private:
  F m_function;
};
void define_counter(counters::description what, std::shared_ptr<counter_function> function);
void remove_counter(const std::string& name) noexcept;
} // namespace treadle::detail

namespace treadle::counters {

/// Reads one counter: since the start of what it counts, such as the runtime, or since the last reset(). A reset is the
/// reader's own affair, readers do not disturb each other. Calls on one object must not overlap; different ones are
/// independent.
///
/// A reading takes a lock and some 100 ns per worker; it never stops or slows the workers.
class counter {
 public:
  /// Throws std::invalid_argument when the name is malformed, unknown (the message offers similar ones) or stands for
  /// several counters.
  explicit counter(std::string_view name);
  counter(counter&&) noexcept;
  counter& operator=(counter&&) noexcept;
  ~counter();

  const description& about() const noexcept;
  /// Throws std::runtime_error when the counter cannot be read at the moment: its runtime has ended, its worker does
  /// not exist, the machine does not allow it. The message says why.
  double value() const;
  reading read() const;
  /// From here on values count from now. Gauges stay what they are.
  void reset();

 private:
  friend class group;
  explicit counter(std::unique_ptr<detail::counter_state> state) noexcept;
  std::unique_ptr<detail::counter_state> m_state;
};

/// All counters that match, in alphabetical order; those of workers only while a runtime exists. Throws
/// std::invalid_argument for a malformed pattern; matching nothing is an empty result.
std::vector<description> discover(std::string_view pattern = "/*/*");

/// Readers of all counters that match any of some patterns, to be read together. Throws std::invalid_argument when
/// there is none.
class group {
 public:
  explicit group(const std::vector<std::string>& patterns);
  group(group&&) noexcept = default;
  group& operator=(group&&) noexcept = default;
  /// Those that cannot be read at the moment have NaN as their value.
  std::vector<reading> read() const;
  void reset();
  std::size_t size() const noexcept { return m_counters.size(); }

 private:
  std::vector<counter> m_counters;
};

/// All counters that match any of the patterns, without one the totals, as text in the OpenMetrics format (1.0) that
/// Prometheus and others read: /threads{locality#0/total}/time/average is treadle_threads_time_average_seconds with the
/// label locality="0". Monotonic counters count from the start; histograms are counters with the label `range`; what
/// cannot be read at the moment has no sample. Throws std::invalid_argument for a malformed pattern.
std::string open_metrics(const std::vector<std::string>& patterns = {"/*/*"});

/// A counter of the program's own; it exists as long as this object.
class definition {
 public:
  /// `read()` returns a number and may be called from any thread at any time, one call after the other; it must not
  /// block, nor read counters. The name is a full one without wildcards, not used yet and not of an object of
  /// Treadle's, otherwise std::invalid_argument. Kinds: gauge, monotonic (the number must not shrink), elapsed.
  template <class F>
  definition(description what, F read) : m_name(what.name) {
    detail::define_counter(std::move(what), std::make_shared<detail::counter_function_of<F>>(std::move(read)));
  }
  definition(definition&& other) noexcept : m_name(std::exchange(other.m_name, {})) {}
  definition& operator=(definition&& other) noexcept {
    std::swap(m_name, other.m_name);
    return *this;
  }
  ~definition() {
    if (!m_name.empty()) detail::remove_counter(m_name);
  }

 private:
  std::string m_name;
};

} // namespace treadle::counters
