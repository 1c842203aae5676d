// The times by which workers go that are no knobs (those are in task/engine/tunables.hpp), each with its reason.
#pragma once

#include <cstdint>

namespace treadle::detail::timing {

using ns = std::int64_t;

// Measuring:
/// Between two samples of one worker. A sample of a task costs some 150 ns, one of a phase some 40.
inline constexpr ns k_between_samples = 64'000;
/// How often the process looks at the cores that it may use: soon for a person, and it costs files of the system.
inline constexpr ns k_between_looks_at_cores = 500'000'000;
/// The same inside of a loop, where a look costs only a clock.
inline constexpr ns k_between_looks_in_loop = 100'000'000;

// Looking for work:
/// Of a worker that has napped or nudged, as long as an answer takes; and of one whose steals do not pay.
inline constexpr ns k_short_search = 4'000;
/// Who sleeps longer at a time counts as parked.
inline constexpr ns k_nap_max = 800'000;
/// A worker that was woken naps for so long before it parks: what woke it is often followed by more.
inline constexpr ns k_naps_after_wake = 5'000'000;
/// Between two looks of the worker that watches the busy ones: a nudge, if it has to send one, costs them 2 us.
inline constexpr ns k_watch = 10'000'000;

// Stealing:
/// What a steal costs thief and victim together at least: lines of their caches.
inline constexpr ns k_steal = 250;
/// The first rest after too many steals that did not pay; it doubles.
inline constexpr ns k_rest = 50'000;

// Order:
/// A task that takes less is not ordered by the path behind it: ten times what that costs.
inline constexpr ns k_short_task = 4000;

// Latent work:
/// Between two nudges of one worker. One costs it 1 or 2 us, even when it has nothing to give; then the time doubles,
/// up to the second one.
inline constexpr ns k_between_nudges = 50'000, k_between_nudges_max = 2'000'000;
/// How long a join spins before it leaves its stack: what was stolen is often done in a moment.
inline constexpr ns k_join_spin = 3'000;

} // namespace treadle::detail::timing
