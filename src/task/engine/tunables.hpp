// Knobs of the runtime: the words are read where they matter, and may be changed while it runs.
#pragma once

#include <treadle/detail/atomic.hpp>

#include "observe/knob_list.hpp"

#include <cstdint>

namespace treadle::detail {

/// A time. Reading it is one relaxed load.
class tunable_ns final : public listed_knob {
 public:
  constexpr tunable_ns(const char* name, std::int64_t least, std::int64_t standard, const char* meaning) noexcept
      : m_name(name), m_least(least), m_meaning(meaning), m_value(standard) {}

  operator std::int64_t() const noexcept { return m_value.load(order::relaxed); }

  std::string_view knob_name() const noexcept override { return m_name; }
  std::string knob_value() const override;
  std::string knob_values() const override;
  std::string_view knob_meaning() const noexcept override { return m_meaning; }
  void set_from_text(std::string_view text) override;

 private:
  static constexpr std::int64_t k_most = 1'000'000'000;

  const char* m_name;
  const std::int64_t m_least;
  const char* m_meaning;
  atomic<std::int64_t> m_value;
};

namespace tunables {

inline constinit tunable_ns search{
    "runtime.search-ns", 0, 0,
    "How long a worker looks for work before it sleeps. 0: 50000, or 10000 where workers "
    "share cores."};
inline constinit tunable_ns nap{"runtime.nap-ns", 1'000, 50'000,
                                "The first sleep of a worker that has found no work; later ones are longer."};
inline constinit tunable_ns loop_worthwhile{
    "runtime.loop-worthwhile-ns", 0, 1'500,
    "Less of a loop is not handed to another worker: that costs both of them half "
    "a microsecond."};
inline constinit tunable_ns loop_worth_waking{"runtime.loop-worth-waking-ns", 0, 10'000,
                                              "For less of a loop no worker is woken."};
inline constinit tunable_ns loop_chunk{"runtime.loop-chunk-ns", 100, 2'000,
                                       "What a worker does of a loop between two looks at who is hungry."};
inline constinit tunable_ns promotion_pause{
    "runtime.promotion-pause-ns", 0, 1'000,
    "How long nothing is promoted after something that nobody has taken; doubles "
    "up to twenty times as long."};

} // namespace tunables

/// Lists them, and reads what the user has given for knobs, these and those of the program: --treadle:knob,
/// TREADLE_KNOB. The first call does so. Throws std::invalid_argument naming what is no knob or cannot be.
void publish_knobs();

} // namespace treadle::detail
